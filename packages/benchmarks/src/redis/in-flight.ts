import type { Decide } from './contender.js'
import type { Reading } from '../processes/reading.js'

/** Decides for each key in turn, so many at a time, and tells what it took this process. All have to be allowed. */
export async function inFlight(
  decide: Decide,
  keys: readonly string[],
  atOnce: number,
): Promise<Reading> {
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  let next = 0
  let denied = 0
  async function work(): Promise<void> {
    while (next < keys.length) {
      const key = keys[next++]
      if (!(await decide(key))) denied++
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, keys.length) }, work))
  const seconds = (performance.now() - startedAt) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  if (denied > 0) throw new Error(`${denied} were denied`)
  return { perSecond: keys.length / seconds, clientMicroseconds: (user + system) / keys.length }
}
