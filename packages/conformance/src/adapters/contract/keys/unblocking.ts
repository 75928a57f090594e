import { fixedWindow, notLimited } from '@sluice/core'
import { byHeader, byIp, byRoute, type KeyOption } from '@sluice/core/http'
import { describe, expect, test } from 'vitest'
import type { OpenServer } from '../../test-server.js'

const two = fixedWindow({ limit: 2, window: '1m' })
const asking = { 'x-answer': 'key' }

export function describeUnblocking(open: OpenServer): void {
  describe('the key of a request, which the adapter offers', () => {
    test.each([
      ['1.2.3.4', 'ip:1.2.3.4'],
      ['2001:db8:1:2:3::4', 'ip:2001:db8:1:2::/64'],
      ['::ffff:1.2.3.4', 'ip:1.2.3.4'],
    ])('unblocks the client with the address %s', async (address, key) => {
      const server = await open({ policies: two, key: byIp() }, { proxies: 1 })
      const from = { 'x-forwarded-for': address }
      const statuses = [(await server.get({ ...asking, ...from })).status]
      for (let i = 0; i < 2; i++) statuses.push((await server.get(from)).status)
      expect([statuses, server.keys]).toEqual([[200, 200, 429], [key]])
      expect(await server.behind().reset(server.keys[0])).toBe(true)
      expect((await server.get(from)).status).toBe(200)
    })

    test.each<[string, KeyOption<unknown>, unknown]>([
      ['a text that a function returns', () => 'ann', 'ann'],
      ['a promise', async () => ['user', 'ann'], ['user', 'ann']],
      ['a list of parts', ['user', async () => 'ann', byIp()], ['user', 'ann', 'ip:127.0.0.1']],
      ['a record', { default: async () => 'ann' }, { default: 'ann' }],
    ])('is %s', async (_, key, expected) => {
      const server = await open({ policies: two, key })
      await server.get(asking)
      expect(server.keys).toEqual([expected])
      expect((await server.behind().status(server.keys[0])).policies['default'].used).toBe(1)
      expect(await server.behind().reset(server.keys[0])).toBe(true)
      expect((await server.behind().status(server.keys[0])).policies['default'].used).toBe(0)
    })

    test('has a hash of a header, or the pattern of the route', async () => {
      const key = { secret: byHeader('x-api-key'), route: byRoute() }
      const policies = { secret: two, route: two }
      const server = await open({ policies, key }, { place: 'route' })
      await server.get({ ...asking, 'x-api-key': 'a' }, '/items/7')
      const hash = expect.stringMatching(/^[\w-]{43}$/)
      expect(server.keys).toEqual([
        { secret: ['header', 'x-api-key', hash], route: ['route', 'GET', '/items/:id'] },
      ])
      const { secret, route } = (await server.behind().status(server.keys[0])).policies
      expect([secret.used, route.used]).toEqual([1, 1])
    })

    test('leaves out the policies that the request leaves out', async () => {
      const server = await open({
        policies: { user: two, tenant: two, all: two },
        key: { user: async () => notLimited, tenant: () => 'acme', all: notLimited },
      })
      await server.get(asking)
      expect(server.keys).toEqual([{ user: notLimited, tenant: 'acme', all: notLimited }])
      const status = await server.behind().status(server.keys[0])
      expect(Object.entries(status.policies).map(([name, { used }]) => [name, used])).toEqual([
        ['tenant', 1],
      ])
      expect(await server.behind().reset(server.keys[0])).toBe(true)
      const after = await server.behind().status(server.keys[0])
      expect(after.policies['tenant'].used).toBe(0)
    })

    test('of a request that is not limited resets nothing', async () => {
      const server = await open({ policies: two, key: async () => notLimited })
      await server.get(asking)
      expect(server.keys).toEqual([notLimited])
      await server.behind().reset(server.keys[0])
      expect(server.verbs).toEqual([])
    })
  })
}
