import { fixedWindow } from '@sluice/core'
import { byIp } from '@sluice/core/http'
import { describe, expect, test } from 'vitest'
import type { OpenServer } from '../../test-server.js'
import { statuses } from './keys.js'

const policy = fixedWindow({ limit: 1, window: '1m' })
const forwarded = 'x-forwarded-for'

export function describeAddresses(open: OpenServer): void {
  describe('the address', () => {
    test('is the default key', async () => {
      const server = await open({ policies: policy })
      expect([(await server.get()).status, (await server.get()).status]).toEqual([200, 429])
      expect((await server.limiter(policy).status('ip:127.0.0.1')).policies['default'].used).toBe(1)
    })

    test('is that of the socket if no proxy is trusted, for any X-Forwarded-For', async () => {
      const server = await open({ policies: policy })
      expect(await statuses(server, forwarded, ['192.0.2.1', '192.0.2.2'])).toEqual([200, 429])
    })

    test('is the one that the only trusted proxy writes, and forged values to the left of it are ignored', async () => {
      const server = await open({ policies: policy }, { proxies: 1 })
      const seen = ['1.2.3.4', '6.6.6.1, 1.2.3.4', '6.6.6.2, 6.6.6.3, 1.2.3.4', '6.6.6.1']
      expect(await statuses(server, forwarded, seen)).toEqual([200, 429, 429, 200])
    })

    test('is the same in every notation', async () => {
      const server = await open({ policies: policy }, { proxies: 1 })
      const seen = ['1.2.3.4', '::ffff:1.2.3.4', '::ffff:102:304', '0:0:0:0:0:FFFF:1.2.3.4']
      expect(await statuses(server, forwarded, seen)).toEqual([200, 429, 429, 429])
      const other = ['::ffff:1.2.3.5', '2001:db8::1', '2001:DB8:0:0::1']
      expect(await statuses(server, forwarded, other)).toEqual([200, 200, 429])
    })

    test('of IPv6 counts by its /64, so ten addresses in one subnet are one client', async () => {
      const server = await open(
        { policies: fixedWindow({ limit: 9, window: '1m' }) },
        { proxies: 1 },
      )
      const ten = Array.from({ length: 10 }, (_, i) => `2001:db8:1:2:${i}${i}::${i + 1}`)
      expect(await statuses(server, forwarded, ten)).toEqual([...ten.slice(1).map(() => 200), 429])
      expect(await statuses(server, forwarded, ['2001:db8:1:3::1'])).toEqual([200])
    })

    test('of IPv6 counts by the number of bits in the option of byIp', async () => {
      const server = await open({ policies: policy, key: byIp({ ipv6: 48 }) }, { proxies: 1 })
      const seen = ['2001:db8:1:2::1', '2001:db8:1:3::1', '2001:db8:2::1']
      expect(await statuses(server, forwarded, seen)).toEqual([200, 429, 200])
    })

    test('that is invalid is an error, and not a count for all clients', async () => {
      const server = await open({ policies: policy }, { proxies: 1 })
      const { status, body } = await server.get({ [forwarded]: 'unknown' })
      expect([status, body]).toEqual([500, 'SLUICE_ADDRESS_MISSING'])
    })
  })
}
