import { concurrency, gcra } from '@sluice/core'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { OpenBench } from '../bench.js'
import { until } from '../until.js'
import { limitFields } from './limit-fields.js'
import { perMinute } from './limits.js'
import { untilUsed, usedOf } from './used.js'

const one = concurrency({ limit: 1, lease: '10s' })
const oneAtATime = { policy: one, key: 'all' }

export function describeWaiting(open: OpenBench): void {
  describe('waiting', () => {
    test('holds a request until it is admitted', async () => {
      const bench = await open({ ...oneAtATime, wait: { max: '10s' } })
      const first = bench.send({ 'x-answer': 'hold' })
      await bench.holding(1)
      const second = bench.send()
      await until('the second has arrived', () => bench.arrived === 2)
      await delay(20)
      expect(bench.reached.length).toBe(1)
      bench.letGo()
      const replies = [await first.reply, await second.reply]
      expect(replies.map(({ status }) => status)).toEqual([200, 200])
      expect(replies[1].headers['ratelimit']).toBe('"default";r=0')
      await untilUsed(bench, one, 0)
    })

    test('spreads a burst over the time that it takes, first come first served', async () => {
      const everyMs = 30
      const bench = await open({
        policy: gcra({ limit: 1, window: everyMs }),
        key: 'all',
        clock: Date.now,
        wait: { max: '10s' },
      })
      const since = performance.now()
      const burst = []
      for (let i = 0; i < 4; i++) {
        burst.push(bench.get())
        await until('it has arrived', () => bench.arrived === i + 1)
      }
      const statuses = (await Promise.all(burst)).map(({ status }) => status)
      expect(statuses).toEqual([200, 200, 200, 200])
      for (const [i, at] of bench.reached.entries()) {
        // Date.now counts whole milliseconds, so that each end may be off by one.
        expect(at - since).toBeGreaterThan(i * everyMs - 2)
      }
    })

    test('answers 429 when the time is up', async () => {
      const bench = await open({ ...oneAtATime, wait: { max: 60 } })
      const first = bench.send({ 'x-answer': 'hold' })
      await bench.holding(1)
      const since = performance.now()
      const reply = await bench.get()
      const heldMs = performance.now() - since
      expect([reply.status, heldMs >= 59, heldMs < 5000]).toEqual([429, true, true])
      expect(limitFields(reply)).toEqual({
        'ratelimit-policy': '"default";q=1;qu="concurrent-requests"',
        ratelimit: '"default";r=0',
        'retry-after': '1',
      })
      bench.letGo()
      await first.reply
      expect(bench.reached.length).toBe(1)
    })

    test('answers 429 at once where the time is known not to be enough', async () => {
      const bench = await open({ ...perMinute(1), wait: { max: '50s' } })
      await bench.get()
      const since = performance.now()
      const { status, headers } = await bench.get()
      expect([status, headers['retry-after']]).toEqual([429, '60'])
      expect(performance.now() - since).toBeLessThan(5000)
    })

    test('ends when the client hangs up: it takes nothing, and leaves its place in the line', async () => {
      const bench = await open({ ...oneAtATime, wait: { max: '10s' } })
      const first = bench.send({ 'x-answer': 'hold' })
      await bench.holding(1)
      const leaving = [bench.send(), bench.send()]
      await until('they have arrived', () => bench.arrived === 3)
      const last = bench.send()
      await until('the last has arrived', () => bench.arrived === 4)
      for (const { hangUp } of leaving) hangUp()
      await until('they are gone', () => bench.over === 2)
      bench.letGo()
      expect((await first.reply).status).toBe(200)
      expect((await last.reply).status).toBe(200)
      await untilUsed(bench, one, 0)
      expect(bench.reached.length).toBe(2)
      expect(bench.errors).toEqual([])
    })

    test('takes nothing of a rate, either, when the client hangs up', async () => {
      const { policy } = perMinute(1)
      const bench = await open({ ...perMinute(1), wait: { max: '2m' } })
      await bench.get()
      const sent = bench.send()
      await until('it has arrived', () => bench.arrived === 2)
      sent.hangUp()
      await until('it is gone', () => bench.over === 2)
      bench.now += 60_000
      expect(await usedOf(bench, policy)).toBe(0)
      expect((await bench.get()).status).toBe(200)
      expect(bench.reached.length).toBe(2)
    })
  })
}
