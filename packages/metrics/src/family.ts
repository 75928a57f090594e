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
  /** The values of each label that have a place, with those of the labels before it. */
  readonly #places = new Map<string, Set<string>>()

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
    const names: string[] = []
    labels.forEach((label, i) => names.push(this.#nameOf(label, names, values[i])))
    let tree = this.#tree
    for (const name of names) {
      const next = tree.get(name) ?? new Tree()
      tree.set(name, next)
      tree = next
    }
    if (tree.series !== undefined) return tree.series
    const buckets = type === 'histogram' ? [...callBuckets, Infinity].map(() => 0) : []
    tree.series = {
      labels: Object.fromEntries(labels.map((label, i) => [label, names[i]])),
      value: 0,
      buckets,
    }
    this.series.push(tree.series)
    return tree.series
  }

  /** The value itself, or "other" if there is no place for it. */
  #nameOf(label: MetricLabel, before: readonly string[], value: string): string {
    if (value === other) return other
    const isBeside = label in mostBeside
    const most = { ...mostValues, ...mostBeside }[label]
    const list = joined([label, ...(isBeside ? before : [])])
    const places = this.#places.get(list) ?? new Set<string>()
    this.#places.set(list, places)
    const place = joined([...before, value])
    if (!places.has(place) && places.size >= most) return other
    places.add(place)
    return value
  }
}

function joined(values: readonly string[]): string {
  return values.join('\0')
}
