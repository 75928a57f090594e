import { concurrency, gcra } from '@sluice/core'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { OpenServer } from '../../test-server.js'
import { until } from '../../until.js'
import { limitFields } from '../limit-fields.js'
import { perMinute } from '../limits.js'
import { untilUsed, usedOf } from '../used.js'

const one = concurrency({ limit: 1, lease: '10s' })
const oneAtATime = { policies: one, key: 'all' }

export function describeWaiting(open: OpenServer): void {
  describe('waiting', () => {
    test('delays a request until it is allowed', async () => {
      const server = await open({ ...oneAtATime, wait: { max: '10s' } })
      const first = server.send({ 'x-answer': 'hold' })
      await server.holding(1)
      const second = server.send()
      await until('the second has arrived', () => server.arrived === 2)
      await delay(20)
      expect(server.reached.length).toBe(1)
      server.letGo()
      const replies = [await first.reply, await second.reply]
      expect(replies.map(({ status }) => status)).toEqual([200, 200])
      expect(replies[1].headers['ratelimit']).toBe('"api";r=0')
      await untilUsed(server, one, 0)
    })

    test('spreads a burst over time, in the order of arrival', async () => {
      const everyMs = 30
      const server = await open({
        policies: gcra({ limit: 1, window: everyMs }),
        key: 'all',
        clock: Date.now,
        wait: { max: '10s' },
      })
      const since = performance.now()
      const burst = []
      for (let i = 0; i < 4; i++) {
        burst.push(server.get())
        await until('it has arrived', () => server.arrived === i + 1)
      }
      const statuses = (await Promise.all(burst)).map(({ status }) => status)
      expect(statuses).toEqual([200, 200, 200, 200])
      for (const [i, at] of server.reached.entries()) {
        // Date.now counts whole milliseconds, so that each end may be off by one.
        expect(at - since).toBeGreaterThan(i * everyMs - 2)
      }
    })

    test('sends a 429 when the time is over', async () => {
      const server = await open({ ...oneAtATime, wait: { max: 60 } })
      const first = server.send({ 'x-answer': 'hold' })
      await server.holding(1)
      const since = performance.now()
      const reply = await server.get()
      const heldMs = performance.now() - since
      expect([reply.status, heldMs >= 59]).toEqual([429, true])
      expect(limitFields(reply)).toEqual({
        'ratelimit-policy': '"api";q=1;qu="concurrent-requests"',
        ratelimit: '"api";r=0',
        'retry-after': '1',
      })
      server.letGo()
      await first.reply
      expect(server.reached.length).toBe(1)
    })

    test('sends a 429 at once if the wait is known to be too long', async () => {
      const server = await open({ ...perMinute(1), wait: { max: '50s' } })
      await server.get()
      const { status, headers } = await server.get()
      expect([status, headers['retry-after']]).toEqual([429, '60'])
    })

    test('ends when the client disconnects: the request takes nothing, and the next one moves up', async () => {
      const server = await open({ ...oneAtATime, wait: { max: '10s' } })
      const first = server.send({ 'x-answer': 'hold' })
      await server.holding(1)
      const leaving = [server.send(), server.send()]
      await until('they have arrived', () => server.arrived === 3)
      const last = server.send()
      await until('the last has arrived', () => server.arrived === 4)
      for (const { hangUp } of leaving) hangUp()
      await until('they are gone', () => server.over === 2)
      server.letGo()
      expect((await first.reply).status).toBe(200)
      expect((await last.reply).status).toBe(200)
      await untilUsed(server, one, 0)
      expect(server.reached.length).toBe(2)
      expect(server.errors).toEqual([])
    })

    test('by another function ends without an error when the client disconnects, and with it the address', async () => {
      let letGo: (skipped: boolean) => void = () => {}
      const held = new Promise<boolean>((resolve) => (letGo = resolve))
      const { policies } = perMinute(3)
      const server = await open({ policies, skip: async () => held })
      const sent = server.send()
      await until('it has arrived', () => server.arrived === 1)
      sent.hangUp()
      await until('it is gone', () => server.over === 1)
      letGo(false)
      expect((await server.get()).status).toBe(200)
      expect(server.errors).toEqual([])
    })

    test('takes nothing of a rate when the client disconnects', async () => {
      const { policies: policy } = perMinute(1)
      const server = await open({ ...perMinute(1), wait: { max: '2m' } })
      await server.get()
      const sent = server.send()
      await until('it has arrived', () => server.arrived === 2)
      sent.hangUp()
      await until('it is gone', () => server.over === 2)
      server.now += 60_000
      expect(await usedOf(server, policy)).toBe(0)
      expect((await server.get()).status).toBe(200)
      expect(server.reached.length).toBe(2)
    })
  })
}
