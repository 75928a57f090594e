import type { MetricDescription, MetricLabel } from './metric-table.js'

export type Labels = Readonly<Record<string, string>>

/** The number of one set of labels. */
export interface Series {
  readonly labels: Labels
  value: number
}

interface Tree extends Map<string, Tree | Series> {}

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
  readonly #labels: readonly MetricLabel[]
  /** The numbers by the values of the first label, of the second one, and so on. */
  readonly #tree: Tree = new Map()
  /** The values of each label that have a place, with those of the labels before it. */
  readonly #places = new Map<string, Set<string>>()

  constructor({ labels }: MetricDescription) {
    this.#labels = labels
  }

  /** The number of a set of labels, in the order of the description. */
  at(values: readonly string[]): Series {
    const known = this.#found(values)
    if (known !== undefined) return known
    const names: string[] = []
    this.#labels.forEach((label, i) => names.push(this.#nameOf(label, names, values[i])))
    return this.#found(names) ?? this.#added(names)
  }

  #found(names: readonly string[]): Series | undefined {
    let node: Tree | Series | undefined = this.#tree
    for (const name of names) if (node instanceof Map) node = node.get(name)
    return node instanceof Map ? undefined : node
  }

  #added(names: readonly string[]): Series {
    const labels = Object.fromEntries(this.#labels.map((label, i) => [label, names[i]]))
    const series = { labels, value: 0 }
    this.series.push(series)
    let node = this.#tree
    names.forEach((name, i) => {
      const known = node.get(name)
      const next = known instanceof Map ? known : new Map<string, Tree | Series>()
      node.set(name, i === names.length - 1 ? series : next)
      node = next
    })
    return series
  }

  /** The value itself, or "other" if there is no place for it. */
  #nameOf(label: MetricLabel, before: readonly string[], value: string): string {
    if (value === other) return other
    const isBeside = label in mostBeside
    const most = { ...mostValues, ...mostBeside }[label]
    const list = [label, ...(isBeside ? before : [])].join('\0')
    const places = this.#places.get(list) ?? new Set<string>()
    this.#places.set(list, places)
    const place = [...before, value].join('\0')
    if (!places.has(place) && places.size >= most) return other
    places.add(place)
    return value
  }
}
