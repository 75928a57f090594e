export { prometheus } from './prometheus.js'
export type { PrometheusRegistry, RegisteredMetric } from './prometheus.js'
export { openTelemetry } from './open-telemetry.js'
export type {
  InstrumentOptions,
  ObservableInstrument,
  ObservingCallback,
  OpenTelemetryMeter,
  RecordingInstrument,
} from './open-telemetry.js'
export { metricTable } from './metric-table.js'
export type { MetricDescription, MetricId, MetricLabel } from './metric-table.js'
