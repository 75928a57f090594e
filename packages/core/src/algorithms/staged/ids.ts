/** All other ids are smaller. */
const radix = 256

/** The id of a pair of algorithms. */
export function stagedId(free: number, then: number): number {
  return free * radix + then
}

/** The ids of both algorithms; undefined if this is not the id of a pair. */
export function stagesOf(id: number): readonly [free: number, then: number] | undefined {
  return id < radix ? undefined : [Math.floor(id / radix), id % radix]
}
