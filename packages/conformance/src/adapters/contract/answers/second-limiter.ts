import { fixedWindow, type Policies } from '@sluice/core'
import type { HeaderStyle } from '@sluice/core/http'
import { describe, expect, test } from 'vitest'
import type { OpenServer } from '../../test-server.js'
import { limitFields } from '../limit-fields.js'

const five: Policies = { five: fixedWindow({ limit: 5, window: '1m' }) }
const two: Policies = { two: fixedWindow({ limit: 2, window: '1h' }) }

export function describeSecondLimiter(open: OpenServer): void {
  describe('a second limiter of the same route', () => {
    const list = { 'ratelimit-policy': '"five";q=5;w=60, "two";q=2;w=3600' }
    const numbers = { limit: '2', remaining: '1', reset: '3600' }

    test.each<[HeaderStyle, object]>([
      ['draft', { ...list, ratelimit: '"five";r=4;t=60, "two";r=1;t=3600' }],
      [
        'draft-7',
        { 'ratelimit-policy': '5;w=60, 2;w=3600', ratelimit: 'limit=2, remaining=1, reset=3600' },
      ],
      ['draft-6', { 'ratelimit-policy': '5;w=60, 2;w=3600', ...prefixed('ratelimit', numbers) }],
      ['legacy', prefixed('x-ratelimit', numbers)],
    ])(
      'adds to the lists, and replaces single numbers if its own are tighter: %s',
      async (headers, fields) => {
        const server = await open(
          { policies: five, key: 'all', headers },
          { second: { policies: two, key: 'all', headers } },
        )
        expect(limitFields(await server.get())).toEqual(fields)
      },
    )

    test.each<HeaderStyle>(['draft-6', 'legacy'])(
      'keeps the single numbers of the first limiter if those are tighter: %s',
      async (headers) => {
        const server = await open(
          { policies: two, key: 'all', headers },
          { second: { policies: five, key: 'all', headers } },
        )
        const prefix = headers === 'legacy' ? 'x-ratelimit' : 'ratelimit'
        expect(limitFields(await server.get())).toMatchObject(prefixed(prefix, numbers))
      },
    )

    test('with a name that the response has already gets a number, also in its denial', async () => {
      const policy = fixedWindow({ limit: 5, window: '1m' })
      const server = await open(
        { policies: policy, key: 'all' },
        { second: { policies: { api: fixedWindow({ limit: 1, window: '1h' }) }, key: 'all' } },
      )
      const fields = { 'ratelimit-policy': '"api";q=5;w=60, "api-2";q=1;w=3600' }
      expect(limitFields(await server.get())).toEqual({
        ...fields,
        ratelimit: '"api";r=4;t=60, "api-2";r=0;t=3600',
      })
      const denied = await server.get()
      expect(limitFields(denied)).toEqual({
        ...fields,
        ratelimit: '"api";r=3;t=60, "api-2";r=0;t=3600',
        'retry-after': '3600',
      })
      expect(JSON.parse(denied.body)).toMatchObject({ 'violated-policies': ['api-2'] })
    })

    test('keeps the fields of the first limiter in its denial', async () => {
      const server = await open(
        { policies: five, key: 'all' },
        { second: { policies: two, key: 'all' } },
      )
      const statuses = []
      for (let i = 0; i < 2; i++) statuses.push((await server.get()).status)
      const denied = await server.get()
      expect([...statuses, denied.status]).toEqual([200, 200, 429])
      expect(limitFields(denied)).toEqual({
        ...list,
        ratelimit: '"five";r=2;t=60, "two";r=0;t=3600',
        'retry-after': '3600',
      })
    })

    test('keeps the headers of both on an error of the handler', async () => {
      const server = await open(
        { policies: five, key: 'all' },
        { second: { policies: two, key: 'all' } },
      )
      const reply = await server.get({ 'x-answer': 'throw' })
      expect([reply.status, limitFields(reply)]).toEqual([
        500,
        { ...list, ratelimit: '"five";r=4;t=60, "two";r=1;t=3600' },
      ])
    })
  })
}

function prefixed(prefix: string, numbers: object): object {
  return Object.fromEntries(
    Object.entries(numbers).map(([name, value]) => [`${prefix}-${name}`, value]),
  )
}
