/**
 * The kinds of policies, by the names of their builders, and the ids that Redis stores with the rows of their algorithms. A kind that is not in this table
 * does not exist, and the compiler names every list that lacks a kind of this table.
 *
 * A new algorithm takes the next free id from 10, or from 129 if the number of its cells depends on the policy. 125 to 127 are rows beside those of policies,
 * and from 135 an id is a pair of two others (`staged/ids.ts`).
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
