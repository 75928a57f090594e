import {
  concurrency,
  fixedWindow,
  gcra,
  slidingWindow,
  tokenBucket,
  unlimited,
  type Policies,
} from '@sluice/core'
import type { HeaderStyle } from '@sluice/core/http'
import { parseList } from 'structured-headers'
import { describe, expect, test } from 'vitest'
import { today, type OpenServer } from '../../test-server.js'
import { limitFields } from '../limit-fields.js'
import { perMinute } from '../limits.js'

export function describeHeaders(open: OpenServer): void {
  describe('headers', () => {
    const draft = { 'ratelimit-policy': '"api";q=2;w=60' }
    const legacy = { 'x-ratelimit-limit': '2', 'x-ratelimit-reset': '60' }
    const epoch = { ...legacy, 'x-ratelimit-reset': `${today / 1000 + 60}` }
    const draft6 = {
      'ratelimit-policy': '2;w=60',
      'ratelimit-limit': '2',
      'ratelimit-reset': '60',
    }

    test.each<[HeaderStyle | readonly HeaderStyle[] | undefined, object, object]>([
      [
        undefined,
        { ...draft, ratelimit: '"api";r=1;t=60' },
        { ...draft, ratelimit: '"api";r=0;t=60' },
      ],
      [
        'draft',
        { ...draft, ratelimit: '"api";r=1;t=60' },
        { ...draft, ratelimit: '"api";r=0;t=60' },
      ],
      [
        'legacy',
        { ...legacy, 'x-ratelimit-remaining': '1' },
        { ...legacy, 'x-ratelimit-remaining': '0' },
      ],
      [
        ['draft', 'legacy'],
        { ...draft, ratelimit: '"api";r=1;t=60', ...legacy, 'x-ratelimit-remaining': '1' },
        { ...draft, ratelimit: '"api";r=0;t=60', ...legacy, 'x-ratelimit-remaining': '0' },
      ],
      [
        'draft-7',
        { 'ratelimit-policy': '2;w=60', ratelimit: 'limit=2, remaining=1, reset=60' },
        { 'ratelimit-policy': '2;w=60', ratelimit: 'limit=2, remaining=0, reset=60' },
      ],
      [
        ['draft-6', 'legacy-epoch'],
        { ...draft6, ...epoch, 'ratelimit-remaining': '1', 'x-ratelimit-remaining': '1' },
        { ...draft6, ...epoch, 'ratelimit-remaining': '0', 'x-ratelimit-remaining': '0' },
      ],
      ['none', {}, {}],
    ])('%s: are exactly these', async (headers, first, last) => {
      const server = await open({ ...perMinute(2), ...(headers === undefined ? {} : { headers }) })
      expect(limitFields(await server.get())).toEqual(first)
      await server.get()
      expect(limitFields(await server.get())).toEqual({ ...last, 'retry-after': '60' })
    })

    test('have the seconds until the next unit, rounded up, at any time', async () => {
      const server = await open({ ...perMinute(1), headers: ['draft', 'legacy'] })
      await server.get()
      for (const [passed, left] of [
        [1, 60],
        [999, 59],
        [58_001, 1],
        [998, 1],
      ]) {
        server.now += passed
        expect(limitFields(await server.get())).toEqual({
          'ratelimit-policy': '"api";q=1;w=60',
          ratelimit: `"api";r=0;t=${left}`,
          'x-ratelimit-limit': '1',
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset': `${left}`,
          'retry-after': `${left}`,
        })
      }
    })

    test.each<[string, Policies, string, string]>([
      ['gcra', gcra({ limit: 60, window: '1m', burst: 5 }), '"api";q=5;w=5', 'r=4;t=1'],
      [
        'a token bucket',
        tokenBucket({ capacity: 20, refill: 5, every: '1s' }),
        '"api";q=20;w=4',
        'r=19;t=1',
      ],
      ['a window below a second', fixedWindow({ limit: 3, window: 500 }), '"api";q=3', 'r=2;t=1'],
      [
        'a window of no whole seconds',
        fixedWindow({ limit: 3, window: 1500 }),
        '"api";q=3;w=2',
        'r=2;t=2',
      ],
      [
        'concurrency',
        concurrency({ limit: 4, lease: '10s' }),
        '"api";q=4;qu="concurrent-requests"',
        'r=3',
      ],
    ])('describe %s', async (_, policy, item, remaining) => {
      const server = await open({ policies: policy, key: 'all' })
      expect(limitFields(await server.get())).toEqual({
        'ratelimit-policy': item,
        ratelimit: `"api";${remaining}`,
      })
    })

    test('describe every policy that has a number', async () => {
      const server = await open({
        key: 'all',
        headers: ['draft', 'legacy'],
        policies: {
          burst: slidingWindow({ limit: 3, window: '10s' }),
          day: fixedWindow({ limit: 2, window: '1d' }),
          free: unlimited(),
        },
      })
      expect(limitFields(await server.get())).toEqual({
        'ratelimit-policy': '"burst";q=3;w=10, "day";q=2;w=86400',
        ratelimit: '"burst";r=2;t=10, "day";r=1;t=86400',
        'x-ratelimit-limit': '2',
        'x-ratelimit-remaining': '1',
        'x-ratelimit-reset': '86400',
      })
    })

    test('are absent for a limit without a number', async () => {
      const server = await open({ key: 'all', headers: ['draft', 'legacy'], policies: unlimited() })
      expect(limitFields(await server.get())).toEqual({})
    })

    test('call a policy without a name by the name of its limiter, and "default" is a name', async () => {
      const policy = fixedWindow({ limit: 2, window: '1m' })
      for (const [policies, name] of [
        [policy, 'api'],
        [() => policy, 'api'],
        [{ default: policy }, 'default'],
      ] as const) {
        const server = await open({ policies, key: 'all' })
        expect(limitFields(await server.get())).toEqual({
          'ratelimit-policy': `"${name}";q=2;w=60`,
          ratelimit: `"${name}";r=1;t=60`,
        })
      }
    })

    test('are structured fields, for any names of the policies', async () => {
      const names = ['say "hi"', 'back\\slash', '\\"', 'Zürich, 100 %', '名前;q=9', '%22', ' ']
      const policy = fixedWindow({ limit: 3, window: '1m' })
      const server = await open({
        key: 'all',
        policies: Object.fromEntries(names.map((name) => [name, policy])),
      })
      const { headers } = await server.get()
      expect(readList(headers['ratelimit-policy'])).toEqual(
        names.map((name) => [name, { q: 3, w: 60 }]),
      )
      expect(readList(headers['ratelimit'])).toEqual(names.map((name) => [name, { r: 2, t: 60 }]))
    })

    test.each(['404', '500', '503'])('are also in a response of %s', async (status) => {
      const server = await open(perMinute(2))
      const reply = await server.get({ 'x-answer': status })
      expect(reply.status).toBe(Number(status))
      expect(limitFields(reply)).toEqual({ ...draft, ratelimit: '"api";r=1;t=60' })
    })

    test('are in the response of the error handling when the handler throws', async () => {
      const server = await open(perMinute(2))
      const reply = await server.get({ 'x-answer': 'throw' })
      expect([reply.status, reply.body]).toEqual([500, 'Error: thrown'])
      expect(limitFields(reply)).toEqual({ ...draft, ratelimit: '"api";r=1;t=60' })
    })

    test('do not change headers of the application', async () => {
      const server = await open(perMinute(1), {
        first: ({ response }) => response.setHeader('x-own', 'kept'),
      })
      const replies = [await server.get(), await server.get()]
      expect(replies.map(({ status, headers }) => [status, headers['x-own']])).toEqual([
        [200, 'kept'],
        [429, 'kept'],
      ])
    })
  })
}

/** A list of structured strings with parameters, as a parser of RFC 9651 reads it. */
function readList(field: string | undefined): unknown[] {
  return parseList(field ?? '').map(([value, parameters]) => [
    decodeURIComponent(String(value)),
    Object.fromEntries(parameters),
  ])
}
