export { createMeter, type MeterOptions, type PrometheusMeter } from './create-meter.ts';
export { exportFigures, exportViolations, keepExporting, type ExporterDeps } from './export-figures.ts';
export { measuredErase } from './measured-erase.ts';
export { measuredModel, type CallMeasures } from './measured-model.ts';
export type { MetricEntry, MetricTable } from './metric-entry.ts';
export { metricNames } from './metric-names.ts';
export { readTelemetry, type TelemetrySettings } from './telemetry/read-telemetry.ts';
