import type { Family } from '../counting/series.js'
import { callBuckets, type MetricDescription } from '../metric-table.js'
import type { BucketCounts } from './bucket-counts.js'

/** A line of the text that Prometheus reads. */
interface Value {
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
  readonly metricName?: string
}

/** The result of `get`, as a registry of prom-client reads it. */
export interface PrometheusValues {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly aggregator: 'sum' | 'max'
  readonly values: readonly Value[]
}

/**
 * A metric in a registry of prom-client, whose values are read when Prometheus asks for them. A counter of prom-client would find the number of its labels again
 * for each decision.
 */
export class PrometheusMetric {
  readonly description: MetricDescription
  /** A registry in the format OpenMetrics takes the suffix "_total" from the names of its counters. */
  name: string
  readonly help: string
  readonly type: MetricDescription['type']
  /** How prom-client joins the values of the workers of node:cluster. */
  readonly aggregator: 'sum' | 'max'
  readonly #values: (name: string) => readonly Value[]
  readonly #reset: () => void

  constructor(
    description: MetricDescription,
    values: (name: string) => readonly Value[],
    reset: () => void,
  ) {
    this.description = description
    this.name = description.name
    this.help = description.help
    this.type = description.type
    this.aggregator = description.unit === 's' && description.type === 'gauge' ? 'max' : 'sum'
    this.#values = values
    this.#reset = reset
  }

  async get(): Promise<PrometheusValues> {
    const { name, help, type, aggregator } = this
    return { name, help, type, aggregator, values: this.#values(name) }
  }

  /** Called by `resetMetrics` of the registry. */
  reset(): void {
    this.#reset()
  }
}

/** The metric of some numbers. */
export function numberMetric(description: MetricDescription, { series }: Family): PrometheusMetric {
  return new PrometheusMetric(
    description,
    () => series.map(({ labels, value }) => ({ labels, value })),
    () => {
      for (const one of series) one.value = 0
    },
  )
}

/** The metric of the durations of calls. */
export function bucketMetric(
  description: MetricDescription,
  all: readonly BucketCounts[],
): PrometheusMetric {
  return new PrometheusMetric(
    description,
    (name) => all.flatMap((one) => bucketValues(name, one)),
    () => {
      for (const one of all) one.reset()
    },
  )
}

function bucketValues(name: string, { labels, counts, sum }: BucketCounts): readonly Value[] {
  let count = 0
  const buckets = counts.map((own, i) => {
    count += own
    const le = callBuckets[i] ?? '+Inf'
    return { labels: { le, ...labels }, value: count, metricName: `${name}_bucket` }
  })
  return [
    ...buckets,
    { labels, value: sum, metricName: `${name}_sum` },
    { labels, value: count, metricName: `${name}_count` },
  ]
}
