import { useRedis } from '@sluice/test-kit/redis'
import { describe, expect, test } from 'vitest'
import { limit, windowMs } from '../../src/algorithms/contender.js'
import {
  buckets,
  fixed,
  floor,
  hash,
  leases,
  log,
  twoCounters,
} from '../../src/algorithms/textbook.js'

// 2025-11-21T00:00Z, the beginning of a window on the clock.
const today = 1_763_683_200_000

const server = useRedis()

describe('the textbook methods', () => {
  test.each([
    { contender: floor, most: limit },
    { contender: fixed, most: limit },
    { contender: twoCounters, most: limit },
    { contender: buckets, most: limit },
    { contender: hash, most: limit },
    { contender: leases, most: limit },
    { contender: log, most: 2 * limit },
  ])('$contender.name allows exactly its limit', async ({ contender, most }) => {
    const { decide } = await contender.open(server.client(), 'limit')
    const key = contender.name
    expect(await allowedOf(most + 5, () => decide(key, today))).toBe(most)
  })

  test.each([
    { contender: twoCounters, afterMs: windowMs + windowMs / limit },
    { contender: buckets, afterMs: windowMs },
    { contender: log, afterMs: windowMs },
    { contender: leases, afterMs: windowMs },
    { contender: hash, afterMs: windowMs / limit },
  ])('$contender.name allows again after the window', async ({ contender, afterMs }) => {
    const { decide } = await contender.open(server.client(), 'again')
    const key = contender.name
    await allowedOf(2 * limit, () => decide(key, today))
    expect(await decide(key, today + afterMs - 1)).toBe(false)
    expect(await decide(key, today + afterMs)).toBe(true)
  })
})

async function allowedOf(count: number, decide: () => Promise<boolean>): Promise<number> {
  let allowed = 0
  for (let i = 0; i < count; i++) if (await decide()) allowed++
  return allowed
}
