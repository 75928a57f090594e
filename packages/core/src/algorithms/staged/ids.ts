// From 135 on an id is a pair of two others: each is a digit, and 128 has the digit 0. The ids of all pairs fit into a byte.
const first = 135
const radix = 11

/** The id of a pair of algorithms. */
export function stagedId(free: number, then: number): number {
  return first + (free % 128) * radix + (then % 128)
}

/** The ids of both algorithms; undefined if this is not the id of a pair. */
export function stagesOf(id: number): readonly [free: number, then: number] | undefined {
  if (id < first) return undefined
  return [Math.floor((id - first) / radix) || 128, (id - first) % radix || 128]
}
