/** Apart from the rest of the package, and imported only when telemetry is asked for: it is a large part of a start. */
export { openTelemetry, type Telemetry } from './open-telemetry.ts';
