import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import { concurrency } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import type { Adapter } from '../../adapter.js'
import type { OpenServer } from '../../test-server.js'
import { until } from '../../until.js'
import { limitFields } from '../limit-fields.js'
import { hangUpDuring, untilUsed, usedOf } from '../used.js'

const policy = concurrency({ limit: 2, lease: '10s' })
const options = { policies: policy, key: 'all' }

export function describeConcurrency({ followsPromises }: Adapter, open: OpenServer): void {
  describe('concurrency', () => {
    test('allows as many requests as the limit at once, and the next one when one of them has ended', async () => {
      const server = await open(options)
      const held = [server.send({ 'x-answer': 'hold' }), server.send({ 'x-answer': 'hold' })]
      await server.holding(2)
      const denied = await server.get()
      expect(denied.status).toBe(429)
      expect(limitFields(denied)).toEqual({
        'ratelimit-policy': '"api";q=2;qu="concurrent-requests"',
        ratelimit: '"api";r=0',
        'retry-after': '1',
      })
      server.letGo()
      await Promise.all(held.map(async ({ reply }) => reply))
      await untilUsed(server, policy, 0)
      expect((await server.get()).status).toBe(200)
    })

    test.each([
      ['an answer', 'hold', 200],
      ['an answer of 500', 'hold 500', 500],
      ['a thrown error', 'hold throw', 500],
      ['a stream', 'stream', 200],
      ['server-sent events', 'events', 200],
    ])('holds a unit until the end of %s, and no longer', async (_, answer, status) => {
      const server = await open(options)
      const sent = server.send({ 'x-answer': answer })
      await server.holding(1)
      if (!answer.startsWith('hold')) await sent.begun
      expect(await usedOf(server, policy)).toBe(1)
      server.letGo()
      expect((await sent.reply).status).toBe(status)
      await untilUsed(server, policy, 0)
      expect(server.verbs).toEqual(['consume', 'release'])
    })

    test('holds the unit of a client that disconnects until its handler is done', async () => {
      const server = await open(options)
      const sent = server.send({ 'x-answer': 'hold' })
      await server.holding(1)
      sent.hangUp()
      await until('it is gone', () => server.over === 1)
      await turn()
      expect(await usedOf(server, policy)).toBe(1)
      server.letGo()
      await untilUsed(server, policy, 0)
      expect(server.verbs).toEqual(['consume', 'release'])
      expect(server.errors).toEqual([])
    })

    test('runs no more handlers than the limit for a client that disconnects each time', async () => {
      const server = await open(options)
      for (let i = 0; i < 10; i++) {
        const { over } = server
        const sent = server.send({ 'x-answer': 'hold' })
        if (i < 2) await server.holding(i + 1)
        else expect((await sent.reply).status).toBe(429)
        sent.hangUp()
        await until('it is gone', () => server.over === over + 1)
      }
      expect(server.reached.length).toBe(2)
      server.letGo()
      await untilUsed(server, policy, 0)
      expect((await server.get()).status).toBe(200)
    })

    test.each(['stream', 'events'])(
      'holds the unit of a client that disconnects in the middle of %s until its handler is done, or the lease has expired',
      async (answer) => {
        const server = await open(options)
        const sent = server.send({ 'x-answer': answer })
        await sent.begun
        sent.hangUp()
        await until('it is gone', () => server.over === 1)
        if (!followsPromises) {
          // The limiter cannot detect a response that never ends.
          await turn()
          expect(await usedOf(server, policy)).toBe(1)
          server.now += 10_000
        }
        await untilUsed(server, policy, 0)
        server.letGo()
        expect(server.errors).toEqual([])
      },
    )

    test.each(['hold', 'stream', 'events'])(
      "releases at once when the client disconnects, with releaseOn: 'close': %s",
      async (answer) => {
        const server = await open({ ...options, releaseOn: 'close' })
        await hangUpDuring(answer, server, policy, 0)
        await server.get()
        await until('both are over', () => server.over === 2)
        await untilUsed(server, policy, 0)
        expect(server.verbs).toEqual(['consume', 'release', 'consume', 'release'])
        expect(server.errors).toEqual([])
      },
    )

    test('renews the lease of a request that runs longer than the lease', async () => {
      const short = concurrency({ limit: 1, lease: 90 })
      const server = await open({ policies: short, key: 'all' })
      const sent = server.send({ 'x-answer': 'events' })
      await sent.begun
      for (let i = 0; i < 3; i++) {
        const renewals = count('renew')
        server.now += 89
        await until('the lease is renewed', () => count('renew') > renewals)
        expect((await server.get()).status).toBe(429)
      }
      server.letGo()
      await sent.reply
      await untilUsed(server, short, 0)
      const renewals = count('renew')
      await delay(40)
      expect(count('renew')).toBe(renewals)
      expect((await server.get()).status).toBe(200)

      function count(verb: string): number {
        return server.verbs.filter((asked) => asked === verb).length
      }
    })

    test('takes no unit for a request that another policy denies', async () => {
      const server = await open({
        key: 'all',
        policies: { default: policy, rate: concurrency({ limit: 1, lease: '10s' }) },
      })
      const sent = server.send({ 'x-answer': 'hold' })
      await server.holding(1)
      expect((await server.get()).status).toBe(429)
      expect(await usedOf(server, policy)).toBe(1)
      server.letGo()
      await sent.reply
      await untilUsed(server, policy, 0)
    })
  })
}
