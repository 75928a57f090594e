import { callBuckets, type MetricDescription, type MetricLabel } from './metric-table.js'

export type Labels = Readonly<Record<string, string>>

/** The number of one set of labels. */
export interface Series {
  readonly labels: Labels
  /** Of a histogram the sum of its values. */
  value: number
  /** Of a histogram the number of values in each bucket, without those in the buckets before it. The last one has no upper bound. */
  readonly buckets: number[]
}

/** The numbers by the value of a label, and below it by those of the next ones. */
class Tree extends Map<string, Tree> {
  series: Series | undefined
}

/** The value of a label in place of all those for which there is no room. */
const other = 'other'

/** The most values of a label that have series of their own in a metric. */
export const mostValues = { limiter: 200, policy: 1000, store: 20 } as const

/** The most values of a label beside the same values of the labels before it. */
const mostBeside = { code: 20, outcome: 5, source: 5 } as const

/**
 * The numbers of a metric. They are limited, also if an application makes a limiter or a policy for each of its customers: values for which there is no room are
 * counted together.
 */
export class Family {
  readonly series: Series[] = []
  readonly #tree = new Tree()
  readonly #description: MetricDescription
  /** The numbers of values that each label has. */
  readonly #taken = new Map<MetricLabel, number>()

  constructor(description: MetricDescription) {
    this.#description = description
  }

  /** The number of a set of labels, in the order of the description. */
  at(values: readonly string[]): Series {
    let known: Tree | undefined = this.#tree
    for (const value of values) known = known?.get(value)
    return known?.series ?? this.#added(values)
  }

  #added(values: readonly string[]): Series {
    const { type, labels } = this.#description
    const named: Record<string, string> = {}
    let tree = this.#tree
    labels.forEach((label, i) => {
      const name = this.#hasPlace(label, values[i], tree) ? values[i] : other
      const next = tree.get(name) ?? new Tree()
      tree.set(name, next)
      named[label] = name
      tree = next
    })
    if (tree.series !== undefined) return tree.series
    const buckets = type === 'histogram' ? [...callBuckets, Infinity].map(() => 0) : []
    tree.series = { labels: named, value: 0, buckets }
    this.series.push(tree.series)
    return tree.series
  }

  /** Whether a value has a place, or takes one. */
  #hasPlace(label: MetricLabel, value: string, beside: Tree): boolean {
    if (value === other || beside.has(value)) return true
    const isBeside = label in mostBeside
    const taken = isBeside ? beside.size : (this.#taken.get(label) ?? 0)
    if (taken >= { ...mostValues, ...mostBeside }[label]) return false
    if (!isBeside) this.#taken.set(label, taken + 1)
    return true
  }
}
