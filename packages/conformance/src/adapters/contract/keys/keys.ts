import { fixedWindow, notLimited } from '@sluice/core'
import { byHeader, byIp, byRoute, byUser, firstOf } from '@sluice/core/http'
import { describe, expect, test } from 'vitest'
import { authenticate } from '../../arrivals.js'
import type { Adapter } from '../../adapter.js'
import type { TestServer, OpenServer } from '../../test-server.js'
import { limitFields } from '../limit-fields.js'

const policy = fixedWindow({ limit: 1, window: '1m' })

export function describeKeys({ answersWrongRequests }: Adapter, open: OpenServer): void {
  describe('keys', () => {
    test('are found in a header, which the store receives only as a hash', async () => {
      const server = await open({ policies: policy, key: byHeader('X-API-Key') })
      expect(await statuses(server, 'x-api-key', ['a', 'b', 'a', 'A'])).toEqual([
        200, 200, 429, 200,
      ])
      const plain = await server.limiter(policy).status(['header', 'x-api-key', 'a'])
      expect(plain.policies['default'].used).toBe(0)
    })

    test('of a missing header are an error', async () => {
      const server = await open({ policies: policy, key: byHeader('X-API-Key') })
      const { status, body } = await server.get()
      const text = answersWrongRequests
        ? 'The request has no header "X-API-Key".\n'
        : 'SLUICE_HEADER_MISSING'
      expect([status, body, server.reached.length]).toEqual([400, text, 0])
    })

    test('are found in the user after authentication', async () => {
      const server = await open(({ user }) => ({ policies: policy, key: byUser(user) }), {
        first: authenticate,
      })
      expect(await statuses(server, 'x-user', ['ann', 'bob', 'ann'])).toEqual([200, 200, 429])
    })

    test('of a user before authentication are an error', async () => {
      const server = await open(({ user }) => ({ policies: policy, key: byUser(user) }))
      const { status, body } = await server.get({ 'x-user': 'ann' })
      const text = answersWrongRequests ? 'The request has no user.\n' : 'SLUICE_USER_MISSING'
      expect([status, body, server.reached.length]).toEqual([400, text, 0])
    })

    test('of a user do not apply to a request without one, which the other policies count', async () => {
      const server = await open(
        ({ user }) => ({
          policies: { user: policy, address: fixedWindow({ limit: 2, window: '1m' }) },
          key: { user: byUser((request) => user(request) ?? notLimited), address: byIp() },
        }),
        { first: authenticate },
      )
      const visitor = await server.get()
      expect(limitFields(visitor)).toEqual({
        'ratelimit-policy': '"address";q=2;w=60',
        ratelimit: '"address";r=1;t=60',
      })
      const user = await server.get({ 'x-user': 'ann' })
      expect(limitFields(user)).toEqual({
        'ratelimit-policy': '"user";q=1;w=60, "address";q=2;w=60',
        ratelimit: '"user";r=0;t=60, "address";r=0;t=60',
      })
      expect((await server.get()).status).toBe(429)
    })

    test('of the user, or else of the address, are found by firstOf', async () => {
      const server = await open(
        ({ user }) => ({ policies: policy, key: firstOf(byUser(user), byIp()) }),
        {
          first: authenticate,
        },
      )
      const found: number[] = []
      for (const name of ['ann', undefined, 'bob', 'ann', undefined]) {
        found.push((await server.get(name === undefined ? {} : { 'x-user': name })).status)
      }
      expect(found).toEqual([200, 200, 200, 429, 429])
      for (const key of [['user', 'ann'], ['user', 'bob'], 'ip:127.0.0.1']) {
        expect((await server.limiter(policy).status(key)).policies['default'].used).toBe(1)
      }
    })

    test('may be found by a function that a function returns', async () => {
      const server = await open(({ header }) => ({
        policies: policy,
        key: async (request) => (header(request, 'x-api-key') ? byHeader('X-API-Key') : byIp()),
      }))
      const found = await statuses(server, 'x-api-key', ['a', 'b', 'a', ''])
      expect([...found, (await server.get()).status]).toEqual([200, 200, 429, 200, 429])
    })

    test('of the route count all of its requests together, HEAD as GET, and other methods separately', async () => {
      const server = await open({ policies: policy, key: byRoute() }, { place: 'route' })
      const first = await server.get({}, '/items/1')
      const other = await server.get({}, '/items/2?page=3')
      const head = await server.get({}, '/items/3', 'HEAD')
      const post = await server.get({}, '/items/1', 'POST')
      expect([first, other, head, post].map(({ status }) => status)).toEqual([200, 429, 429, 200])
      expect((await server.get({}, '/')).status).toBe(200)
    })

    test('of the address and the route have the parts of both', async () => {
      const server = await open({ policies: policy, key: [byIp(), byRoute()] }, { place: 'route' })
      const found: number[] = []
      for (const path of ['/items/1', '/items/2']) found.push((await server.get({}, path)).status)
      expect(found).toEqual([200, 429])
      const parts = ['ip:127.0.0.1', 'route', 'GET', '/items/:id']
      expect((await server.limiter(policy).status(parts)).policies['default'].used).toBe(1)
    })

    test('may have parts that functions return, at once or later', async () => {
      const server = await open(({ header }) => ({
        policies: policy,
        key: ['tenant', (request) => header(request, 'x-a') ?? '', async () => 'z', byIp()],
      }))
      expect(await statuses(server, 'x-a', ['1', '2', '1'])).toEqual([200, 200, 429])
      const { policies } = await server.limiter(policy).status(['tenant', '2', 'z', 'ip:127.0.0.1'])
      expect(policies['default'].used).toBe(1)
    })

    test('may differ from policy to policy, and notLimited excludes a policy', async () => {
      const server = await open(({ header }) => ({
        policies: {
          user: policy,
          tenant: fixedWindow({ limit: 2, window: '1m' }),
          all: fixedWindow({ limit: 3, window: '1h' }),
        },
        key: {
          user: (request) => header(request, 'x-user') ?? notLimited,
          tenant: 'acme',
          all: notLimited,
        },
      }))
      const first = await server.get({ 'x-user': 'ann' })
      expect(first.headers['ratelimit']).toBe('"user";r=0;t=60, "tenant";r=1;t=60')
      const denied = await server.get({ 'x-user': 'ann' })
      expect(JSON.parse(denied.body)['violated-policies']).toEqual(['user'])
      const anybody = await server.get()
      expect(anybody.headers['ratelimit']).toBe('"tenant";r=0;t=60')
      const late = await server.get({ 'x-user': 'bob' })
      expect(JSON.parse(late.body)['violated-policies']).toEqual(['tenant'])
      // All or nothing: a request that one policy denied took no unit of the other.
      expect((await server.get({ 'x-user': 'bob' })).headers['ratelimit']).toBe(
        '"user";r=1, "tenant";r=0;t=60',
      )
    })

    test('with notLimited limit nothing', async () => {
      const server = await open({ policies: policy, key: () => notLimited })
      const replies = [await server.get(), await server.get()]
      expect(replies.map(({ status }) => status)).toEqual([200, 200])
      expect(replies.map(limitFields)).toEqual([{}, {}])
      expect(server.verbs).toEqual([])
    })

    test('may be promises', async () => {
      const server = await open(({ header }) => ({
        policies: policy,
        key: async (request) => ['user', header(request, 'x-user') ?? ''],
      }))
      expect(await statuses(server, 'x-user', ['ann', 'bob', 'ann'])).toEqual([200, 200, 429])
    })
  })
}

/** The statuses of requests that differ in one header. */
export async function statuses(
  server: TestServer,
  header: string,
  values: readonly string[],
): Promise<readonly number[]> {
  const found: number[] = []
  for (const value of values) found.push((await server.get({ [header]: value })).status)
  return found
}
