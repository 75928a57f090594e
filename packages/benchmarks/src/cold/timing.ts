import { freshKeys } from '../memory/keys.js'
import type { Reading } from '../processes/reading.js'

/** The numbers of decisions that a table shows. */
export const counts: readonly number[] = [1, 100, 1000]

/** The time that the work takes, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<Reading> {
  const startedAt = performance.now()
  await work()
  return { ms: performance.now() - startedAt }
}

const inFlight = 64
const firstMs = 1000

/** The decisions that a new process makes in its first second, with 64 in flight. */
export async function countedFirst(decide: (key: string) => Promise<boolean>): Promise<Reading> {
  const keys = freshKeys(10_000).of(Array(10_000).keys())
  const until = performance.now() + firstMs
  let decisions = 0
  async function work(): Promise<void> {
    while (performance.now() < until) await decide(keys[decisions++ % keys.length])
  }
  await Promise.all(Array.from({ length: inFlight }, work))
  return { decisions }
}

/** The time until a new process has made its first decisions, one after the other, each for another of a hundred keys. */
export async function timedFirst(
  decide: (key: string) => boolean | Promise<boolean>,
): Promise<Reading> {
  const most = Math.max(...counts)
  const keys = freshKeys(100).of(Array.from({ length: most }, (_, i) => i % 100))
  const reading: Record<string, number> = {}
  const startedAt = performance.now()
  for (let i = 0; i < most; i++) {
    await decide(keys[i])
    if (counts.includes(i + 1)) reading[`${i + 1}`] = performance.now() - startedAt
  }
  return reading
}
