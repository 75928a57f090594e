/**
 * The kinds of policies, by the names of their builders, and the ids that Redis stores with the rows of their algorithms. A kind that is not in this table
 * does not exist, and the compiler names every list that lacks a kind of this table.
 *
 * A new algorithm takes the next free id from 10, or from 129 if the number of its cells depends on the policy. 123 to 127 are rows beside those of policies,
 * and from 135 an id is a pair of two others.
 */
export const idsOfKinds = {
  fixedWindow: [1],
  calendarWindow: [6],
  slidingWindow: [2, 9, 128],
  slidingLog: [7],
  tokenBucket: [3],
  leakyBucket: [3],
  leakyQueue: [4],
  gcra: [3],
  concurrency: [8],
  staged: [],
  unlimited: [5],
} as const

/** The name of a builder. */
export type PolicyKind = keyof typeof idsOfKinds

/** The id of an algorithm that is not made of two others. */
export type AlgorithmId = (typeof idsOfKinds)[PolicyKind][number]

export const kindNames: readonly string[] = Object.keys(idsOfKinds)

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
