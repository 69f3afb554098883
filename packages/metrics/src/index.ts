export { createMeter, type MeterOptions, type PrometheusMeter } from './create-meter.ts';
export { exportFigures, keepExporting, type ExporterDeps } from './export-figures.ts';
export type { MetricEntry, MetricTable } from './metric-entry.ts';
export { metricNames } from './metric-names.ts';
