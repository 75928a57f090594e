import { gcra, tokenBucket } from '@sluice/core'
import type { ResponseOutcome } from '@sluice/core/http'
import { describe, expect, test } from 'vitest'
import type { Adapter, NeutralOptions } from '../../adapter.js'
import type { OpenServer } from '../../test-server.js'
import { until } from '../../until.js'
import { perMinute } from '../limits.js'
import { hangUpDuring, untilUsed, usedOf } from '../used.js'

const options = perMinute(3)
const { policies: policy } = options

type Count = NonNullable<NeutralOptions<unknown>['count']>

/** The values of `count`, the end of a request that does not count, and the response that the client receives. */
const endings: [string, Count, string, number][] = [
  ['an answer', 'failures', '200', 200],
  ['an answer of 404', 'successes', '404', 404],
  ['an answer of 500', 'successes', '500', 500],
  ['a thrown error', 'successes', 'throw', 500],
  ['what a function does not count', ({ status }) => status !== 418, '418', 418],
]

const disconnections: [string, string, Count][] = [
  ['before an answer', 'hold', 'successes'],
  ['in a stream', 'stream', 'successes'],
  ['from server-sent events', 'events', 'successes'],
  ['where a function does not count that', 'stream', ({ aborted }) => !aborted],
]

export function describeOutcomes({ writesResponse }: Adapter, open: OpenServer): void {
  describe('counting by outcome', () => {
    test.each(endings)('refunds exactly once after %s', async (_, count, answer, status) => {
      const server = await open({ ...options, count })
      await server.limiter(policy).consume('all')
      for (let i = 1; i <= 5; i++) {
        expect((await server.get({ 'x-answer': answer })).status).toBe(status)
        await untilUsed(server, policy, 1)
        expect(server.verbs.filter((verb) => verb === 'refundReceipt').length).toBe(i)
      }
      expect(server.verbs.filter((verb) => verb === 'consume').length).toBe(5)
    })

    // A handler that returns a response has settled it then, also if the client reads it only in part.
    test.each<[string, string, Count]>(writesResponse ? disconnections : [])(
      'refunds exactly once when the client disconnects %s',
      async (_, answer, count) => {
        const server = await open({ ...options, count })
        await server.limiter(policy).consume('all')
        for (let i = 0; i < 3; i++) {
          await hangUpDuring(answer, server, policy, 1)
        }
        expect((await server.get()).headers['ratelimit']).toBe('"api";r=1;t=60')
        expect(server.verbs.join(' ')).toBe(`${'consume refundReceipt '.repeat(3)}consume`)
        expect(server.errors).toEqual([])
      },
    )

    test('refunds exactly once when the handler of a client that has disconnected is done', async () => {
      const server = await open({ ...options, count: 'successes' })
      const sent = server.send({ 'x-answer': 'hold' })
      await server.holding(1)
      sent.hangUp()
      await until('it is gone', () => server.over === 1)
      server.letGo()
      await untilUsed(server, policy, 0)
      expect(server.verbs).toEqual(['consume', 'refundReceipt'])
    })

    test.each([
      ['failures', '200', 0],
      ['failures', '401', 3],
      ['successes', '200', 3],
      ['successes', '401', 0],
    ] as const)(
      'of %s takes units at the start, so that a burst of %s cannot exceed the limit',
      async (count, answer, counted) => {
        const server = await open({ ...options, count })
        const burst = Array.from({ length: 10 }, () =>
          server.send({ 'x-answer': `hold ${answer}` }),
        )
        await server.holding(3)
        await until('the others are answered', () => server.over === 7)
        server.letGo()
        const statuses = await Promise.all(burst.map(async ({ reply }) => (await reply).status))
        expect(statuses.filter((status) => status === Number(answer)).length).toBe(3)
        expect(statuses.filter((status) => status === 429).length).toBe(7)
        await until('all are over', () => server.over === 10)
        await untilUsed(server, policy, counted)
        expect((await server.get()).status).toBe(counted === 0 ? 200 : 429)
      },
    )

    test('after the response denies no parallel requests that do not count, and denies after those that do', async () => {
      const server = await open({
        ...options,
        count: { when: ({ status }) => status === 404, reserve: false },
      })
      const burst = Array.from({ length: 10 }, () => server.send({ 'x-answer': 'hold' }))
      await server.holding(10)
      expect(await usedOf(server, policy)).toBe(0)
      server.letGo()
      for (const { reply } of burst) expect((await reply).status).toBe(200)
      for (let i = 1; i <= 3; i++) {
        expect((await server.get({ 'x-answer': '404' })).status).toBe(404)
        await untilUsed(server, policy, i)
      }
      const { status, headers } = await server.get()
      expect([status, headers['retry-after']]).toEqual([429, '60'])
      expect(server.reached.length).toBe(13)
    })

    test('after the response counts at most the limit of the requests that run at once', async () => {
      const server = await open({ ...options, count: { when: 'failures', reserve: false } })
      const burst = Array.from({ length: 5 }, () => server.send({ 'x-answer': 'hold 401' }))
      await server.holding(5)
      server.letGo()
      for (const { reply } of burst) expect((await reply).status).toBe(401)
      await until('all are over', () => server.over === 5)
      await untilUsed(server, policy, 3)
      expect((await server.get()).status).toBe(429)
    })

    test('by a function calls the function once with the outcome of each allowed request', async () => {
      const outcomes: ResponseOutcome[] = []
      const server = await open({
        ...options,
        count: (outcome) => outcomes.push(outcome) < 0,
      })
      await server.get()
      await server.get({ 'x-answer': '404' })
      await server.get({ 'x-answer': 'throw' })
      const cut = server.send({ 'x-answer': 'stream' })
      await cut.begun
      cut.hangUp()
      await until('all four are reported', () => outcomes.length === 4)
      server.letGo()
      await server.get()
      await until('the fifth is reported', () => outcomes.length === 5)
      expect(outcomes).toEqual([
        { status: 200, aborted: false },
        { status: 404, aborted: false },
        { status: 500, aborted: false },
        { status: 200, aborted: writesResponse },
        { status: 200, aborted: false },
      ])
    })

    test.each(['failures', 'successes'] as const)(
      'leaves the denials of a limit behind it out of %s',
      async (count) => {
        const server = await open(
          { ...options, count },
          { second: { ...perMinute(1), statusCode: count === 'failures' ? 429 : 200 } },
        )
        const answer = count === 'failures' ? '401' : '200'
        const statuses = []
        for (let i = 0; i < 6; i++) {
          statuses.push((await server.get({ 'x-answer': answer })).status)
          await untilUsed(server, policy, 1)
        }
        const denied = count === 'failures' ? 429 : 200
        expect(statuses).toEqual([Number(answer), ...Array.from({ length: 5 }, () => denied)])
        expect(server.reached.length).toBe(1)
      },
    )

    test('of failures includes those of a handler of denials that lets the request continue', async () => {
      const server = await open(
        { ...options, count: 'failures' },
        { second: { ...perMinute(1), onDenied: () => undefined } },
      )
      for (let i = 1; i <= 2; i++) {
        expect((await server.get({ 'x-answer': '401' })).status).toBe(401)
        await untilUsed(server, policy, i)
      }
    })

    test('that a success resets limits consecutive failures', async () => {
      const server = await open({ ...options, count: 'failures', resetOn: 'success' })
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
        found.push((await server.get({ 'x-answer': answer })).status)
        await untilUsed(server, policy, used)
      }
      expect(found).toEqual([401, 401, 200, 401, 500, 500, 429])
    })

    test('a success fills a bucket that starts with less than its capacity', async () => {
      const policy = tokenBucket({ capacity: 10, refill: 1, every: '1h', initial: 3 })
      const server = await open({ policies: policy, key: 'all', resetOn: 'success' })
      for (const [answer, used] of [
        ['401', 8],
        ['401', 9],
        ['200', 0],
        ['401', 1],
      ] as const) {
        await server.get({ 'x-answer': answer })
        await untilUsed(server, policy, used)
      }
    })

    test('of failures by gcra counts no more failures at one moment than the burst', async () => {
      const policy = gcra({ limit: 10, window: '10s' })
      const server = await open({ policies: policy, key: 'all', count: 'failures' })
      const limiter = server.limiter(policy)
      const earliest = await limiter.consume('all')
      const slow = Array.from({ length: 9 }, () => server.send({ 'x-answer': 'hold 200' }))
      await server.holding(9)
      await limiter.refund(earliest)
      server.now += 9000
      for (let i = 0; i < 10; i++)
        expect((await server.get({ 'x-answer': '401' })).status).toBe(401)
      server.letGo()
      for (const { reply } of slow) expect((await reply).status).toBe(200)
      await until('all nine are refunded', () => {
        return server.verbs.filter((verb) => verb === 'refundReceipt').length === 9
      })
      expect((await server.get({ 'x-answer': '401' })).status).toBe(429)
    })

    test('refunds nothing for a denied request', async () => {
      const server = await open({ ...options, count: 'successes' })
      for (const answer of ['200', '200', '200', '404', '404']) {
        await server.get({ 'x-answer': answer })
      }
      await until('all are over', () => server.over === 5)
      expect(server.verbs).toEqual(['consume', 'consume', 'consume', 'consume', 'consume'])
      expect(await usedOf(server, policy)).toBe(3)
    })
  })
}
