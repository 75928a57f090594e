import type { AlgorithmId } from '../ids.js'

/** The codes of the algorithms within the id of a pair, each below `radix`. An algorithm with records cannot be a stage, so it has no code. */
const codes: Readonly<Record<AlgorithmId, number | undefined>> = {
  1: 1,
  2: 2,
  3: 3,
  4: 4,
  5: 5,
  6: 6,
  7: undefined,
  8: undefined,
  9: 0,
  128: 7,
}

/** The ids of all pairs fit into a byte. */
const first = 135
const radix = 11

const codesById = new Map(Object.entries(codes).map(([id, code]) => [Number(id), code]))

/** The id of a pair of algorithms. */
export function stagedId(free: number, then: number): number {
  return first + codeOf(free) * radix + codeOf(then)
}

/** The ids of both algorithms; undefined if this is not the id of a pair. */
export function stagesOf(id: number): readonly [free: number, then: number] | undefined {
  if (id < first) return undefined
  return [idOf(Math.floor((id - first) / radix)), idOf((id - first) % radix)]
}

function codeOf(id: number): number {
  return codesById.get(id) ?? Number.NaN
}

function idOf(code: number): number {
  const [id] = [...codesById].find(([, own]) => own === code) ?? [code]
  return id
}
