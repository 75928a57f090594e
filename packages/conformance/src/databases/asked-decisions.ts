import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { setTimeout as delay } from 'node:timers/promises'
import type { AsyncStore, Decision, Limiter } from '@sluice/core'

/**
 * The number of decisions that ask the database, of those that are made one after another for some seconds, while a lock stops it. All others do not wait.
 *
 * @throws Error if one is not made by `source`
 */
export async function askedDecisions(
  limiter: Limiter<AsyncStore>,
  source: Decision['source'],
  forMs = 2500,
): Promise<number> {
  let asked = 0
  const count = (): number => asked++
  subscribe('sluice:store:call', count)
  try {
    let made = 0
    for (const end = performance.now() + forMs; performance.now() < end;) {
      const decision = await limiter.consume(`key ${made++ % 7}`)
      if (decision.source !== source) throw new Error(`a decision is of the ${decision.source}`)
      await delay(10)
    }
    return asked
  } finally {
    unsubscribe('sluice:store:call', count)
  }
}
