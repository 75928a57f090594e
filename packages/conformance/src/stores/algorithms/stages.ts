import { calendarWindow, fixedWindow, gcra, leakyQueue, staged } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import { today, type OpenSetup } from '../setup.js'

export function describeStages(open: OpenSetup): void {
  describe('a staged policy', () => {
    test('thirty per day are free, and after that one every two seconds', async () => {
      const setup = await open(today)
      const free = calendarWindow({ limit: 30, period: 'day', timeZone: 'UTC' })
      const limiter = setup.limiter(staged({ free, then: gcra({ limit: 1, window: '2s' }) }))
      for (let i = 0; i < 30; i++) expect((await limiter.consume('key')).allowed).toBe(true)
      for (let i = 0; i < 3; i++) {
        expect(await limiter.consume('key')).toMatchObject({ allowed: false, retryAfterMs: 2000 })
        setup.now += 1999
        expect(await limiter.consume('key')).toMatchObject({ allowed: false, retryAfterMs: 1 })
        setup.now++
        expect((await limiter.consume('key')).allowed).toBe(true)
      }
      setup.now = today + 86_400_000 - 1
      expect((await limiter.consume('key')).remaining).toBe(0)
      expect((await limiter.consume('key')).retryAfterMs).toBe(1)
      setup.now++
      expect(await limiter.consume('key')).toMatchObject({ allowed: true, remaining: 29 })
    })

    test('the last unit of `free` restarts `then`, and counts in it', async () => {
      const setup = await open()
      const limiter = setup.limiter(
        staged({
          free: fixedWindow({ limit: 2, window: 1000 }),
          then: fixedWindow({ limit: 3, window: '1h' }),
        }),
      )
      expect((await limiter.consume('key', { cost: 3 })).remaining).toBe(2)
      expect((await limiter.consume('key', { cost: 2 })).remaining).toBe(1)
      expect((await limiter.consume('key')).remaining).toBe(0)
    })

    test('if `then` is a queue, a request that `then` takes is delayed, and peeks agree', async () => {
      const setup = await open()
      const limiter = setup.limiter(
        staged({
          free: fixedWindow({ limit: 1, window: 1000 }),
          then: leakyQueue({ leak: 1, every: 2000, maxDelay: '1m' }),
        }),
      )
      const delays: number[][] = []
      for (const wait of [0, 0, 0, 1000]) {
        setup.now += wait
        const peeked = await limiter.peek('key')
        delays.push([peeked.delayMs, (await limiter.consume('key')).delayMs])
      }
      expect(delays).toEqual([
        [0, 0],
        [2000, 2000],
        [4000, 4000],
        [0, 0],
      ])
    })
  })
}
