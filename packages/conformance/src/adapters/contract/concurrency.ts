import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import { concurrency } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import type { Adapter } from '../adapter.js'
import type { OpenBench } from '../bench.js'
import { until } from '../until.js'
import { limitFields } from './limit-fields.js'
import { untilUsed, usedOf } from './used.js'

const policy = concurrency({ limit: 2, lease: '10s' })
const options = { policy, key: 'all' }

export function describeConcurrency({ followsPromises }: Adapter, open: OpenBench): void {
  describe('concurrency', () => {
    test('admits as many as may run at once, and the next when one of them has ended', async () => {
      const bench = await open(options)
      const held = [bench.send({ 'x-answer': 'hold' }), bench.send({ 'x-answer': 'hold' })]
      await bench.holding(2)
      const denied = await bench.get()
      expect(denied.status).toBe(429)
      expect(limitFields(denied)).toEqual({
        'ratelimit-policy': '"default";q=2;qu="concurrent-requests"',
        ratelimit: '"default";r=0',
        'retry-after': '1',
      })
      bench.letGo()
      await Promise.all(held.map(async ({ reply }) => reply))
      await untilUsed(bench, policy, 0)
      expect((await bench.get()).status).toBe(200)
    })

    test.each([
      ['an answer', 'hold', 200],
      ['an answer of 500', 'hold 500', 500],
      ['a thrown error', 'hold throw', 500],
      ['a stream', 'stream', 200],
      ['server-sent events', 'events', 200],
    ])('holds a unit until the end of %s, and no longer', async (_, answer, status) => {
      const bench = await open(options)
      const sent = bench.send({ 'x-answer': answer })
      await bench.holding(1)
      if (!answer.startsWith('hold')) await sent.begun
      expect(await usedOf(bench, policy)).toBe(1)
      bench.letGo()
      expect((await sent.reply).status).toBe(status)
      await untilUsed(bench, policy, 0)
      expect(bench.verbs).toEqual(['consume', 'release'])
    })

    test('holds the unit of a client that hangs up until its handler is done', async () => {
      const bench = await open(options)
      const sent = bench.send({ 'x-answer': 'hold' })
      await bench.holding(1)
      sent.hangUp()
      await until('it is gone', () => bench.over === 1)
      await turn()
      expect(await usedOf(bench, policy)).toBe(1)
      bench.letGo()
      await untilUsed(bench, policy, 0)
      expect(bench.verbs).toEqual(['consume', 'release'])
      expect(bench.errors).toEqual([])
    })

    test('lets no client have more handlers at work than the limit, though it hangs up each time', async () => {
      const bench = await open(options)
      for (let i = 0; i < 10; i++) {
        const { over } = bench
        const sent = bench.send({ 'x-answer': 'hold' })
        if (i < 2) await bench.holding(i + 1)
        else expect((await sent.reply).status).toBe(429)
        sent.hangUp()
        await until('it is gone', () => bench.over === over + 1)
      }
      expect(bench.reached.length).toBe(2)
      bench.letGo()
      await untilUsed(bench, policy, 0)
      expect((await bench.get()).status).toBe(200)
    })

    test.each(['stream', 'events'])(
      'holds the unit of a client that leaves in the middle of %s until its handler is done, or the lease has ended',
      async (answer) => {
        const bench = await open(options)
        const sent = bench.send({ 'x-answer': answer })
        await sent.begun
        sent.hangUp()
        await until('it is gone', () => bench.over === 1)
        if (!followsPromises) {
          // Nothing tells the limiter of a response that is never ended.
          await turn()
          expect(await usedOf(bench, policy)).toBe(1)
          bench.now += 10_000
        }
        await untilUsed(bench, policy, 0)
        bench.letGo()
        expect(bench.errors).toEqual([])
      },
    )

    test.each(['hold', 'stream', 'events'])(
      "releases at once when the client hangs up, with releaseOn: 'close': %s",
      async (answer) => {
        const bench = await open({ ...options, releaseOn: 'close' })
        const sent = bench.send({ 'x-answer': answer })
        await bench.holding(1)
        if (answer !== 'hold') await sent.begun
        expect(await usedOf(bench, policy)).toBe(1)
        sent.hangUp()
        await untilUsed(bench, policy, 0)
        bench.letGo()
        await bench.get()
        await until('both are over', () => bench.over === 2)
        await untilUsed(bench, policy, 0)
        expect(bench.verbs).toEqual(['consume', 'release', 'consume', 'release'])
        expect(bench.errors).toEqual([])
      },
    )

    test('renews what runs for longer than its lease', async () => {
      const short = concurrency({ limit: 1, lease: 90 })
      const bench = await open({ policy: short, key: 'all' })
      const sent = bench.send({ 'x-answer': 'events' })
      await sent.begun
      for (let i = 0; i < 3; i++) {
        const renewals = count('renew')
        bench.now += 89
        await until('the lease is renewed', () => count('renew') > renewals)
        expect((await bench.get()).status).toBe(429)
      }
      bench.letGo()
      await sent.reply
      await untilUsed(bench, short, 0)
      const renewals = count('renew')
      await delay(40)
      expect(count('renew')).toBe(renewals)
      expect((await bench.get()).status).toBe(200)

      function count(verb: string): number {
        return bench.verbs.filter((asked) => asked === verb).length
      }
    })

    test('goes by each policy: what is denied by another takes no unit', async () => {
      const bench = await open({
        key: 'all',
        policies: { default: policy, rate: concurrency({ limit: 1, lease: '10s' }) },
      })
      const sent = bench.send({ 'x-answer': 'hold' })
      await bench.holding(1)
      expect((await bench.get()).status).toBe(429)
      expect(await usedOf(bench, policy)).toBe(1)
      bench.letGo()
      await sent.reply
      await untilUsed(bench, policy, 0)
    })
  })
}
