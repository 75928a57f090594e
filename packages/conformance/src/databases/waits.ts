import { setTimeout as delay } from 'node:timers/promises'
import type { AsyncStore, Decision, Limiter } from '@sluice/core'

/**
 * How long decisions take one after another, in milliseconds, while a lock stops the database.
 *
 * @throws Error if one is not made by `source`
 */
export async function waitsOf(
  limiter: Limiter<AsyncStore>,
  source: Decision['source'],
  forMs = 2500,
): Promise<readonly number[]> {
  const waits: number[] = []
  for (const end = performance.now() + forMs; performance.now() < end;) {
    const startedAt = performance.now()
    const decision = await limiter.consume(`key ${waits.length % 7}`)
    if (decision.source !== source) throw new Error(`a decision is of the ${decision.source}`)
    waits.push(performance.now() - startedAt)
    await delay(10)
  }
  return waits
}
