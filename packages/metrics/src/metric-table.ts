/** A metric of this package. Its names, labels and type are stable. */
export interface MetricDescription {
  /** The name in Prometheus. */
  readonly name: string
  /** The name in OpenTelemetry. */
  readonly openTelemetryName: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly labels: readonly MetricLabel[]
  readonly help: string
  /** The unit in OpenTelemetry, in the notation of UCUM. */
  readonly unit: string
}

/** The name of a label. No label contains a key: there are as many keys as clients. */
export type MetricLabel = 'limiter' | 'policy' | 'rule' | 'outcome' | 'source' | 'store' | 'code'

/** The names by which the table has the metrics. */
export type MetricId =
  | 'decisions'
  | 'denials'
  | 'wouldDeny'
  | 'fallbackActive'
  | 'storeCallDuration'
  | 'storeRequests'
  | 'storeErrors'
  | 'breakerOpen'
  | 'rulesLoads'
  | 'rulesLoadedTime'
  | 'rulesRejected'
  | 'lateOverrides'

/** The metrics that `prometheus` and `openTelemetry` export. */
export const metricTable: Readonly<Record<MetricId, MetricDescription>> = {
  decisions: {
    name: 'sluice_decisions_total',
    openTelemetryName: 'sluice.decisions',
    type: 'counter',
    labels: ['limiter', 'outcome', 'source'],
    help: 'Decisions of a limiter. outcome: allowed, denied, exempt, would_allow, would_deny. source: store, local, fallback, open, closed.',
    unit: '{decision}',
  },
  denials: {
    name: 'sluice_denials_total',
    openTelemetryName: 'sluice.denials',
    type: 'counter',
    labels: ['limiter', 'policy'],
    help: 'Denials by a policy or a rule. A decision that several policies deny counts in each of them.',
    unit: '{denial}',
  },
  wouldDeny: {
    name: 'sluice_would_deny_total',
    openTelemetryName: 'sluice.would_deny',
    type: 'counter',
    labels: ['limiter', 'policy'],
    help: 'Denials that deny no request: of shadow rules, of rules that add a tag, and of limits with dryRun.',
    unit: '{denial}',
  },
  fallbackActive: {
    name: 'sluice_fallback_active',
    openTelemetryName: 'sluice.fallback.active',
    type: 'gauge',
    labels: ['limiter'],
    help: 'Limiters of this name that decide without their store.',
    unit: '{limiter}',
  },
  storeCallDuration: {
    name: 'sluice_store_call_duration_seconds',
    openTelemetryName: 'sluice.store.call.duration',
    type: 'histogram',
    labels: ['store'],
    help: 'Calls to a store, until the last of their requests is answered.',
    unit: 's',
  },
  storeRequests: {
    name: 'sluice_store_requests_total',
    openTelemetryName: 'sluice.store.requests',
    type: 'counter',
    labels: ['store'],
    help: 'Requests in the calls to a store. Requests that are made at the same time share calls.',
    unit: '{request}',
  },
  storeErrors: {
    name: 'sluice_store_errors_total',
    openTelemetryName: 'sluice.store.errors',
    type: 'counter',
    labels: ['store', 'code'],
    help: 'Errors of calls to a store, by their code. Each error counts once for each call.',
    unit: '{error}',
  },
  breakerOpen: {
    name: 'sluice_breaker_open',
    openTelemetryName: 'sluice.breaker.open',
    type: 'gauge',
    labels: ['store'],
    help: 'Stores of this name that are not called, because they have failed several times.',
    unit: '{store}',
  },
  rulesLoads: {
    name: 'sluice_rules_loads_total',
    openTelemetryName: 'sluice.rules.loads',
    type: 'counter',
    labels: ['limiter', 'outcome'],
    help: 'Documents of rules. outcome: loaded, rejected, source-failed. A failure that lasts counts once.',
    unit: '{document}',
  },
  rulesLoadedTime: {
    name: 'sluice_rules_loaded_timestamp_seconds',
    openTelemetryName: 'sluice.rules.loaded.timestamp',
    type: 'gauge',
    labels: ['limiter'],
    help: 'The time at which the current rules were loaded, in seconds since the epoch.',
    unit: 's',
  },
  rulesRejected: {
    name: 'sluice_rules_rejected',
    openTelemetryName: 'sluice.rules.rejected',
    type: 'gauge',
    labels: ['limiter'],
    help: '1 while the latest document of rules is rejected, so that the previous one stays in use.',
    unit: '{document}',
  },
  lateOverrides: {
    name: 'sluice_rules_late_overrides_total',
    openTelemetryName: 'sluice.rules.late_overrides',
    type: 'counter',
    labels: ['rule'],
    help: 'Requests that were decided by the limit of their rule, because its override took too long.',
    unit: '{request}',
  },
}

/** The upper bounds of the buckets of store calls, in seconds. */
export const callBuckets: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
]
