import { gcra, tokenBucket } from '@sluice/core'
import type { ResponseOutcome } from '@sluice/core/http'
import { describe, expect, test } from 'vitest'
import type { NeutralOptions } from '../adapter.js'
import type { OpenBench } from '../bench.js'
import { until } from '../until.js'
import { perMinute } from './limits.js'
import { untilUsed, usedOf } from './used.js'

const options = perMinute(3)
const { policy } = options

type Count = NonNullable<NeutralOptions<unknown>['count']>

/** What an application may count, how a request ends that does not count, and what the client sees of it. */
const endings: [string, Count, string, number][] = [
  ['an answer', 'failures', '200', 200],
  ['an answer of 404', 'successes', '404', 404],
  ['an answer of 500', 'successes', '500', 500],
  ['a thrown error', 'successes', 'throw', 500],
  ['what a function does not count', ({ status }) => status !== 418, '418', 418],
]

export function describeOutcomes(open: OpenBench): void {
  describe('counting by outcome', () => {
    test.each(endings)('gives back exactly once after %s', async (_, count, answer, status) => {
      const bench = await open({ ...options, count })
      await bench.limiter(policy).consume('all')
      for (let i = 1; i <= 5; i++) {
        expect((await bench.get({ 'x-answer': answer })).status).toBe(status)
        await untilUsed(bench, policy, 1)
        expect(bench.verbs.filter((verb) => verb === 'refundReceipt').length).toBe(i)
      }
      expect(bench.verbs.filter((verb) => verb === 'consume').length).toBe(5)
    })

    test.each<[string, string, Count]>([
      ['before an answer', 'hold', 'successes'],
      ['in a stream', 'stream', 'successes'],
      ['from server-sent events', 'events', 'successes'],
      ['where a function does not count that', 'stream', ({ aborted }) => !aborted],
    ])('gives back exactly once when the client hangs up %s', async (_, answer, count) => {
      const bench = await open({ ...options, count })
      await bench.limiter(policy).consume('all')
      for (let i = 0; i < 3; i++) {
        const sent = bench.send({ 'x-answer': answer })
        await bench.holding(1)
        if (answer !== 'hold') await sent.begun
        expect(await usedOf(bench, policy)).toBe(2)
        sent.hangUp()
        await untilUsed(bench, policy, 1)
        bench.letGo()
      }
      expect((await bench.get()).headers['ratelimit']).toBe('"default";r=1;t=60')
      expect(bench.verbs.join(' ')).toBe(`${'consume refundReceipt '.repeat(3)}consume`)
      expect(bench.errors).toEqual([])
    })

    test.each([
      ['failures', '200', 0],
      ['failures', '401', 3],
      ['successes', '200', 3],
      ['successes', '401', 0],
    ] as const)(
      'of %s reserves at the start, so that a burst of %s cannot slip through',
      async (count, answer, counted) => {
        const bench = await open({ ...options, count })
        const burst = Array.from({ length: 10 }, () => bench.send({ 'x-answer': `hold ${answer}` }))
        await bench.holding(3)
        await until('the others are answered', () => bench.over === 7)
        bench.letGo()
        const statuses = await Promise.all(burst.map(async ({ reply }) => (await reply).status))
        expect(statuses.filter((status) => status === Number(answer)).length).toBe(3)
        expect(statuses.filter((status) => status === 429).length).toBe(7)
        await until('all are over', () => bench.over === 10)
        await untilUsed(bench, policy, counted)
        expect((await bench.get()).status).toBe(counted === 0 ? 200 : 429)
      },
    )

    test('by a function tells it how each admitted request ended, once', async () => {
      const outcomes: ResponseOutcome[] = []
      const bench = await open({
        ...options,
        count: (outcome) => outcomes.push(outcome) < 0,
      })
      await bench.get()
      await bench.get({ 'x-answer': '404' })
      await bench.get({ 'x-answer': 'throw' })
      const cut = bench.send({ 'x-answer': 'stream' })
      await cut.begun
      cut.hangUp()
      await until('all four are told', () => outcomes.length === 4)
      bench.letGo()
      await bench.get()
      await until('the fifth is told', () => outcomes.length === 5)
      expect(outcomes).toEqual([
        { status: 200, aborted: false },
        { status: 404, aborted: false },
        { status: 500, aborted: false },
        { status: 200, aborted: true },
        { status: 200, aborted: false },
      ])
    })

    test('that a success resets limits consecutive failures', async () => {
      const bench = await open({ ...options, count: 'failures', resetOn: 'success' })
      const found = []
      for (const [answer, used] of [
        ['401', 1],
        ['401', 2],
        ['200', 0],
        ['401', 1],
        ['500', 2],
        ['throw', 3],
        ['200', 3],
      ] as const) {
        found.push((await bench.get({ 'x-answer': answer })).status)
        await untilUsed(bench, policy, used)
      }
      expect(found).toEqual([401, 401, 200, 401, 500, 500, 429])
    })

    test('a success fills a bucket that is born with less than it holds', async () => {
      const policy = tokenBucket({ capacity: 10, refill: 1, every: '1h', initial: 3 })
      const bench = await open({ policy, key: 'all', resetOn: 'success' })
      for (const [answer, used] of [
        ['401', 8],
        ['401', 9],
        ['200', 0],
        ['401', 1],
      ] as const) {
        await bench.get({ 'x-answer': answer })
        await untilUsed(bench, policy, used)
      }
    })

    test('of failures by gcra counts no more of them at one moment than the burst', async () => {
      const policy = gcra({ limit: 10, window: '10s' })
      const bench = await open({ policy, key: 'all', count: 'failures' })
      const limiter = bench.limiter(policy)
      const earliest = await limiter.consume('all')
      const slow = Array.from({ length: 9 }, () => bench.send({ 'x-answer': 'hold 200' }))
      await bench.holding(9)
      await limiter.refund(earliest)
      bench.now += 9000
      for (let i = 0; i < 10; i++) expect((await bench.get({ 'x-answer': '401' })).status).toBe(401)
      bench.letGo()
      for (const { reply } of slow) expect((await reply).status).toBe(200)
      await until('all nine are given back', () => {
        return bench.verbs.filter((verb) => verb === 'refundReceipt').length === 9
      })
      expect((await bench.get({ 'x-answer': '401' })).status).toBe(429)
    })

    test('gives nothing back for a denied request', async () => {
      const bench = await open({ ...options, count: 'successes' })
      for (const answer of ['200', '200', '200', '404', '404']) {
        await bench.get({ 'x-answer': answer })
      }
      await until('all are over', () => bench.over === 5)
      expect(bench.verbs).toEqual(['consume', 'consume', 'consume', 'consume', 'consume'])
      expect(await usedOf(bench, policy)).toBe(3)
    })
  })
}
