import { isFunction, sluiceError } from '@sluice/core/internal'
import { countedMetrics, createRecorder } from './counting/recorder.js'
import { BucketCounts } from './exporting/bucket-counts.js'
import { bucketMetric, numberMetric, type PrometheusMetric } from './exporting/prometheus-metric.js'
import { metricTable } from './metric-table.js'

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
  const times: BucketCounts[] = []
  const recorder = createRecorder((labels) => {
    const counts = new BucketCounts(labels)
    times.push(counts)
    return (seconds) => counts.record(seconds)
  })
  const metrics = [
    ...countedMetrics.map((id) => numberMetric(metricTable[id], recorder.families[id])),
    bucketMetric(metricTable.storeCallDuration, times),
  ]

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
  if (typeof value !== 'object' || value === null) return false
  const methods = ['registerMetric', 'getSingleMetric', 'removeSingleMetric']
  return methods.every((name) => isFunction(Reflect.get(value, name)))
}
