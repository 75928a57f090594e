import { fixedWindow, gcra } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import type { OpenServer } from '../../test-server.js'
import { limitFields } from '../limit-fields.js'
import { perMinute } from '../limits.js'

const plans = {
  free: { requests: fixedWindow({ limit: 1, window: '1m' }) },
  paid: {
    requests: fixedWindow({ limit: 3, window: '1m' }),
    day: gcra({ limit: 9, window: '1d' }),
  },
}

/** A function of the application may return a value or a promise. */
const timings = [
  ['at once', <T>(value: T): T | Promise<T> => value],
  ['later', async <T>(value: T): Promise<T> => value],
] as const

export function describePlans(open: OpenServer): void {
  describe('plans', () => {
    test.each(timings)('can differ for each request, %s', async (_, give) => {
      const server = await open(({ header }) => ({
        key: (request) => header(request, 'x-user') ?? '',
        policies: (request) => give(header(request, 'x-plan') === 'paid' ? plans.paid : plans.free),
      }))
      const ann = { 'x-user': 'ann' }
      const bob = { 'x-user': 'bob', 'x-plan': 'paid' }
      expect(limitFields(await server.get(ann))).toEqual({
        'ratelimit-policy': '"requests";q=1;w=60',
        ratelimit: '"requests";r=0;t=60',
      })
      expect((await server.get(ann)).status).toBe(429)
      expect(limitFields(await server.get(bob))).toEqual({
        'ratelimit-policy': '"requests";q=3;w=60, "day";q=9;w=86400',
        ratelimit: '"requests";r=2;t=60, "day";r=8;t=9600',
      })
      // If a user changes to another plan, the units used so far still count.
      const upgraded = await server.get({ ...ann, 'x-plan': 'paid' })
      expect([upgraded.status, upgraded.headers['ratelimit']]).toEqual([
        200,
        '"requests";r=1;t=60, "day";r=8;t=9600',
      ])
    })

    test.each(timings)('can be a limit for each request, %s', async (_, give) => {
      const server = await open(({ header }) => ({
        key: 'all',
        window: '1m',
        algorithm: fixedWindow,
        limit: (request) => give(Number(header(request, 'x-limit'))),
      }))
      const found = []
      for (const limit of ['2', '3', '1', '3', '3']) {
        const { status, headers } = await server.get({ 'x-limit': limit })
        found.push([status, headers['ratelimit-policy'], headers['ratelimit']])
      }
      expect(found).toEqual([
        [200, '"api";q=2;w=60', '"api";r=1;t=60'],
        [200, '"api";q=3;w=60', '"api";r=1;t=60'],
        [429, '"api";q=1;w=60', '"api";r=0;t=60'],
        [200, '"api";q=3;w=60', '"api";r=0;t=60'],
        [429, '"api";q=3;w=60', '"api";r=0;t=60'],
      ])
    })

    test.each(timings)('can have a cost for each request, %s', async (_, give) => {
      const server = await open(({ header }) => ({
        ...perMinute(10),
        cost: (request) => give(Number(header(request, 'x-cost'))),
      }))
      const found = []
      for (const cost of ['7', '4', '3', '1', '0']) {
        const { status, headers } = await server.get({ 'x-cost': cost })
        found.push([status, headers['ratelimit']])
      }
      expect(found).toEqual([
        [200, '"api";r=3;t=60'],
        [429, '"api";r=3;t=60'],
        [200, '"api";r=0;t=60'],
        [429, '"api";r=0;t=60'],
        [200, '"api";r=0;t=60'],
      ])
    })

    test('deny a cost that never fits with the detail that waiting does not help', async () => {
      const server = await open({ ...perMinute(3), cost: 4 })
      await server.limiter(perMinute(3).policies).consume('all')
      server.now += 20_000
      const { status, headers, body } = await server.get()
      expect([status, headers['retry-after']]).toEqual([429, '40'])
      expect(JSON.parse(body).detail).toMatch(/waiting does not help/)
    })

    test.each(timings)(
      'skip a request, %s: no header, no decision, nothing counted',
      async (_, give) => {
        const server = await open(({ header }) => ({
          ...perMinute(0),
          skip: (request) => give(header(request, 'x-health') === 'check'),
        }))
        const reply = await server.get({ 'x-health': 'check', 'x-answer': 'decision' })
        expect([reply.status, reply.body, limitFields(reply)]).toEqual([200, 'null', {}])
        expect(server.verbs).toEqual([])
        expect((await server.get()).status).toBe(429)
      },
    )
  })
}
