/** The number of records in a chunk. */
export const perChunk = 62

/** The number of nodes of one level that are one node of the next. */
export const fan = 32

/** The number of levels. A node of the highest one covers two million records. */
export const levels = 4

/** The chunk of a position. */
export function chunkOf(position: number): number {
  return Math.floor(position / perChunk)
}

/** The last position of a chunk. */
export function lastOf(chunk: number): number {
  return (chunk + 1) * perChunk - 1
}

/**
 * The units that were refunded in each chunk of a log and that the running totals of all later chunks still include. They are stored as a tree
 * of sums, so that a refund changes one node on each level, and a sum over any range of chunks reads a few nodes on each.
 */
export class Corrections {
  readonly #levels = Array.from({ length: levels }, () => new Map<number, number>())
  /** The first chunk that can have a node. */
  #first: number

  constructor(first: number) {
    this.#first = first
  }

  add(chunk: number, units: number): void {
    let node = chunk
    for (const sums of this.#levels) {
      sums.set(node, (sums.get(node) ?? 0) + units)
      node = Math.floor(node / fan)
    }
  }

  /** The units refunded in the chunks from `from` to before `to`. */
  between(from: number, to: number): number {
    let sum = 0
    let first = from
    let end = to
    for (let level = 0; level < levels; level++) {
      const sums = this.#levels[level]
      const following = level === levels - 1 ? end : Math.min(end, Math.ceil(first / fan) * fan)
      for (; first < following; first++) sum += sums.get(first) ?? 0
      for (; first < end && end % fan > 0; end--) sum += sums.get(end - 1) ?? 0
      first /= fan
      end /= fan
    }
    return sum
  }

  /** Removes the nodes that cover only chunks before this one. */
  drop(chunk: number): void {
    let first = this.#first
    let end = chunk
    for (const sums of this.#levels) {
      for (let node = first; node < end; node++) sums.delete(node)
      first = Math.floor(first / fan)
      end = Math.floor(end / fan)
    }
    this.#first = chunk
  }
}
