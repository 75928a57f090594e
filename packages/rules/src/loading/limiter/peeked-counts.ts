import type { Limiter, Source, Verdict } from '@sluice/core'
import { peekAt } from '../../decide/apply.js'
import type { LimitCheck } from '../../decide/match.js'

/** The current counts. */
export interface PeekedCounts {
  /** The origin of the counts: the store, or the memory store that replaces it while it is unavailable. */
  readonly source: Source
  /** The verdicts, by the names of the counts. */
  readonly counts: ReadonlyMap<string, Verdict>
}

/** Peeks at the counts of all consumptions at once. They are independent of each other. */
export async function peekedCounts(
  limiter: Limiter,
  consumptions: readonly LimitCheck[],
): Promise<PeekedCounts> {
  const results = await Promise.all(consumptions.map((check) => peekAt(limiter, check)))
  const decisions = results.map(({ decision }) => decision)
  const counts = new Map(decisions.flatMap(({ policies }) => Object.entries(policies)))
  const elsewhere = decisions.find(({ source }) => source !== 'store')
  return { source: elsewhere?.source ?? 'store', counts }
}
