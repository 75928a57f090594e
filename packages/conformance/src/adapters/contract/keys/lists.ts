import { accessList } from '@sluice/core/http'
import { describe, expect, test } from 'vitest'
import type { OpenServer } from '../../test-server.js'
import { statuses } from './keys.js'
import { limitFields } from '../limit-fields.js'
import { perMinute } from '../limits.js'

const forwarded = 'x-forwarded-for'

export function describeLists(open: OpenServer): void {
  describe('lists', () => {
    test('allow by address, range and key, without headers and without a call to the store', async () => {
      const server = await open(
        ({ header }) => ({
          ...perMinute(0),
          key: (request) => ['user', header(request, 'x-user') ?? 'nobody'],
          allow: ['192.0.2.1', '10.0.0.0/8', '2001:db8::/32', ['user', 'ann']],
        }),
        { proxies: 1 },
      )
      for (const address of ['192.0.2.1', '10.9.8.7', '::ffff:10.1.1.1', '2001:db8:9::9']) {
        const reply = await server.get({ [forwarded]: address })
        expect([reply.status, limitFields(reply)]).toEqual([200, {}])
      }
      expect((await server.get({ 'x-user': 'ann' })).status).toBe(200)
      expect(server.verbs).toEqual([])
      const others = ['192.0.2.2', '11.0.0.1', '2001:db9::1']
      expect(await statuses(server, forwarded, others)).toEqual([429, 429, 429])
      expect(server.verbs).toEqual(['consume', 'consume', 'consume'])
    })

    test('deny by address, range and key with a problem, without a call to the store', async () => {
      const server = await open(
        ({ header }) => ({
          ...perMinute(9),
          key: (request) => header(request, 'x-user') ?? 'nobody',
          deny: ['192.0.2.1', '198.51.100.0/24', 'eve'],
        }),
        { proxies: 1 },
      )
      const replies = [
        await server.get({ [forwarded]: '192.0.2.1' }),
        await server.get({ [forwarded]: '6.6.6.6, 198.51.100.77' }),
        await server.get({ 'x-user': 'eve' }),
      ]
      for (const { status, headers, body } of replies) {
        expect(status).toBe(403)
        expect(headers['content-type']).toMatch(/^application\/problem\+json\b/)
        expect(JSON.parse(body)).toEqual({ title: 'Forbidden', status: 403 })
      }
      expect(replies.map(limitFields)).toEqual([{}, {}, {}])
      const text = await server.get({ 'x-user': 'eve', accept: 'text/plain' })
      expect([text.status, text.body]).toEqual([403, 'Forbidden\n'])
      expect(server.verbs).toEqual([])
      expect(server.reached).toEqual([])
      // A client cannot block others by forging their address.
      expect(await statuses(server, forwarded, ['192.0.2.1, 203.0.113.5'])).toEqual([200])
    })

    test('deny a key in "deny" whose address is in "allow", and allow other keys of that address', async () => {
      const server = await open(({ header }) => ({
        ...perMinute(0),
        key: (request) => header(request, 'x-user') ?? 'nobody',
        allow: ['127.0.0.1'],
        deny: ['eve'],
      }))
      expect(await statuses(server, 'x-user', ['ann', 'eve'])).toEqual([200, 403])
      expect(server.verbs).toEqual([])
    })

    test('can be replaced at run time', async () => {
      const denied = accessList(['127.0.0.1'])
      const server = await open({ ...perMinute(9), deny: denied })
      const found = [(await server.get()).status]
      denied.replace(['192.0.2.1'])
      found.push((await server.get()).status)
      denied.replace(['127.0.0.0/8'])
      found.push((await server.get()).status)
      expect(found).toEqual([403, 200, 403])
    })

    test('deny a client that is in both', async () => {
      const server = await open({ ...perMinute(9), allow: ['127.0.0.1'], deny: ['127.0.0.1'] })
      expect((await server.get()).status).toBe(403)
    })
  })
}
