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
export type MetricLabel = 'limiter' | 'policy' | 'outcome' | 'source' | 'store' | 'code'

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

/** The metrics that `prometheus` and `openTelemetry` export. */
export const metricTable: Readonly<Record<MetricId, MetricDescription>> = {
  decisions: describe(
    'sluice.decisions',
    'counter',
    ['limiter', 'outcome', 'source'],
    '{decision}',
    'Decisions of a limiter. outcome: allowed, denied, exempt, would_allow, would_deny. source: store, local, fallback, open, closed.',
  ),
  denials: describe(
    'sluice.denials',
    'counter',
    ['limiter', 'policy'],
    '{denial}',
    'Denials by a policy or a rule. A decision that several policies deny counts in each of them.',
  ),
  wouldDeny: describe(
    'sluice.would_deny',
    'counter',
    ['limiter', 'policy'],
    '{denial}',
    'Denials that deny no request: of shadow rules, of rules that add a tag, and of limits with dryRun.',
  ),
  fallbackActive: describe(
    'sluice.fallback.active',
    'gauge',
    ['limiter'],
    '{limiter}',
    'Limiters of this name that decide without their store.',
  ),
  storeCallDuration: describe(
    'sluice.store.call.duration',
    'histogram',
    ['store'],
    's',
    'Calls to a store, until the last of their requests is answered.',
  ),
  storeRequests: describe(
    'sluice.store.requests',
    'counter',
    ['store'],
    '{request}',
    'Requests in the calls to a store. Requests that are made at the same time share calls.',
  ),
  storeErrors: describe(
    'sluice.store.errors',
    'counter',
    ['store', 'code'],
    '{error}',
    'Errors of calls to a store, by their code. Each error counts once for each call.',
  ),
  breakerOpen: describe(
    'sluice.breaker.open',
    'gauge',
    ['store'],
    '{store}',
    'Stores of this name that are not called, because they have failed several times.',
  ),
  rulesLoads: describe(
    'sluice.rules.loads',
    'counter',
    ['limiter', 'outcome'],
    '{document}',
    'Documents of rules. outcome: loaded, rejected, source-failed. A failure that lasts counts once.',
  ),
  rulesLoadedTime: describe(
    'sluice.rules.loaded.timestamp',
    'gauge',
    ['limiter'],
    's',
    'The time at which the current rules were loaded, in seconds since the epoch.',
  ),
  rulesRejected: describe(
    'sluice.rules.rejected',
    'gauge',
    ['limiter'],
    '{document}',
    '1 while the latest document of rules is rejected, so that the previous one stays in use.',
  ),
}

export const metricIds: readonly MetricId[] = ids(metricTable)

function ids(table: typeof metricTable): readonly MetricId[] {
  return Object.keys(table).filter((id): id is MetricId => id in table)
}

/** The name in Prometheus is the one that an exporter of OpenTelemetry makes: https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/ */
function describe(
  openTelemetryName: string,
  type: MetricDescription['type'],
  labels: readonly MetricLabel[],
  unit: string,
  help: string,
): MetricDescription {
  const seconds = unit === 's' ? '_seconds' : ''
  const total = type === 'counter' ? '_total' : ''
  const name = openTelemetryName.replaceAll('.', '_') + seconds + total
  return { name, openTelemetryName, type, labels, help, unit }
}

/** The upper bounds of the buckets of store calls, in seconds. */
export const callBuckets: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
]
