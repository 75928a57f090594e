import { isFunction, memberOf, sluiceError } from '@sluice/core/internal'
import type { Family, Series } from './family.js'
import { callBuckets, metricIds, metricTable, type MetricDescription } from './metric-table.js'
import { createRecorder } from './recorder.js'

/** The parts of a registry of prom-client 15 that `prometheus` uses. */
export interface PrometheusRegistry {
  registerMetric(metric: RegisteredMetric): void
  getSingleMetric(name: string): unknown
  removeSingleMetric(name: string): void
}

/** The parts of a metric that every metric of prom-client has. */
export interface RegisteredMetric {
  get(): Promise<object>
  reset(): void
}

interface Registration {
  start(): void
  stop(): void
}

const registrations = new WeakMap<PrometheusRegistry, Registration>()

/**
 * Registers the metrics of all limiters of this process in a registry of prom-client, and counts from now on. A second call for a registry changes nothing, and
 * returns the same function. That function stops the counting and removes the metrics from the registry.
 *
 * @example
 * import { register } from 'prom-client'
 * import { prometheus } from '@sluice/metrics'
 *
 * prometheus(register)
 * @throws SluiceError if the value is not a registry, or the registry has another metric of one of the names
 */
export function prometheus(register: PrometheusRegistry): () => void {
  if (!isRegistry(register)) {
    const expected = 'a registry of prom-client, such as its "register"'
    throw sluiceError('SLUICE_OPTION_INVALID', 'prometheus', 'register', register, expected)
  }
  const registration = registrations.get(register) ?? createRegistration(register)
  registration.start()
  registrations.set(register, registration)
  return registration.stop
}

function createRegistration(register: PrometheusRegistry): Registration {
  const recorder = createRecorder()
  const metrics = metricIds.map(
    (id) => new PrometheusMetric(metricTable[id], recorder.families[id]),
  )

  return {
    start() {
      // `clear` of a registry removes metrics, so a second call can have some to add.
      const absent = metrics.filter((metric) => !isRegistered(register, metric))
      for (const { description } of absent) assertFree(register, description.name)
      for (const metric of absent) {
        metric.name = metric.description.name
        register.registerMetric(metric)
      }
      recorder.start()
    },
    stop() {
      recorder.stop()
      for (const metric of metrics) {
        if (isRegistered(register, metric)) register.removeSingleMetric(metric.description.name)
      }
    },
  }
}

/**
 * A metric in a registry of prom-client, whose values are read when Prometheus asks for them. A counter of prom-client would find the number of its labels again
 * for each decision.
 */
class PrometheusMetric implements RegisteredMetric {
  readonly description: MetricDescription
  /** A registry in the format OpenMetrics takes the suffix "_total" from the names of its counters. */
  name: string
  readonly type: MetricDescription['type']
  readonly #family: Family

  constructor(description: MetricDescription, family: Family) {
    this.description = description
    this.name = description.name
    this.type = description.type
    this.#family = family
  }

  async get(): Promise<object> {
    const { name, type } = this
    const { help, unit } = this.description
    // How prom-client joins the values of the workers of node:cluster.
    const aggregator = unit === 's' && type === 'gauge' ? 'max' : 'sum'
    const values = this.#family.series.flatMap((one) => {
      const { labels, value } = one
      return type === 'histogram' ? histogram(name, one) : [{ labels, value }]
    })
    return { name, help, type, aggregator, values }
  }

  /** Called by `resetMetrics` of the registry. */
  reset(): void {
    for (const one of this.#family.series) {
      one.value = 0
      one.buckets.fill(0)
    }
  }
}

function histogram(name: string, { labels, value: sum, buckets }: Series): readonly object[] {
  let count = 0
  const upTo = buckets.map((own, i) => {
    count += own
    const le = callBuckets[i] ?? '+Inf'
    return { labels: { le, ...labels }, value: count, metricName: `${name}_bucket` }
  })
  return [
    ...upTo,
    { labels, value: sum, metricName: `${name}_sum` },
    { labels, value: count, metricName: `${name}_count` },
  ]
}

function isRegistered(register: PrometheusRegistry, metric: PrometheusMetric): boolean {
  return register.getSingleMetric(metric.description.name) === metric
}

function assertFree(register: PrometheusRegistry, name: string): void {
  if (register.getSingleMetric(name) === undefined) return
  const expected = `a registry without a metric ${name}`
  const advice =
    'The application has made that metric itself, or contains @sluice/metrics twice. Remove its own, or pass another registry'
  throw sluiceError('SLUICE_OPTION_INVALID', 'prometheus', 'register', register, expected, advice)
}

function isRegistry(value: unknown): value is PrometheusRegistry {
  const methods = ['registerMetric', 'getSingleMetric', 'removeSingleMetric']
  return methods.every((name) => isFunction(memberOf(value, name)))
}
