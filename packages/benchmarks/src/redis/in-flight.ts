import { performance } from 'node:perf_hooks'
import type { Reading } from '../processes/reading.js'

/**
 * The latency of one decision in seven is measured, because reading the clock twice for each would add to the client's CPU time. Seven is prime,
 * so the measured decisions are at all positions of a batch.
 */
const timedEvery = 7

/** Decides for each key, with this many decisions in flight at a time. All must be allowed. */
export async function inFlight(
  decide: (key: string) => boolean | Promise<boolean>,
  keys: readonly string[],
  atOnce: number,
): Promise<Reading> {
  const latencies: number[] = []
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  let next = 0
  let denied = 0
  async function work(): Promise<void> {
    while (next < keys.length) {
      const i = next++
      const isTimed = i % timedEvery === 0
      const askedAt = isTimed ? performance.now() : 0
      if (!(await decide(keys[i]))) denied++
      if (isTimed) latencies.push(performance.now() - askedAt)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, keys.length) }, work))
  const seconds = (performance.now() - startedAt) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  if (denied > 0) throw new Error(`${denied} were denied`)
  return {
    perSecond: keys.length / seconds,
    clientMicroseconds: (user + system) / keys.length,
    p99Microseconds: 1000 * percentileOf(latencies, 0.99),
  }
}

/** The smallest value that is not below this share of all values. */
export function percentileOf(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]
}
