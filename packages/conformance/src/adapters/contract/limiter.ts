import { fixedWindow } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import type { OpenServer } from '../test-server.js'
import { perMinute } from './limits.js'

export function describeLimiter(open: OpenServer): void {
  describe('the limiter behind the adapter', () => {
    test.each(['app', 'route'] as const)(
      'reads and changes the counts of requests (%s)',
      async (place) => {
        const server = await open(perMinute(2), { place })
        const get = async () => (await server.get({}, '/items/1')).status
        const limiter = server.behind()
        expect([await get(), (await limiter.peek('all')).remaining]).toEqual([200, 1])
        expect((await limiter.status('all')).policies['default'].used).toBe(1)
        expect([await get(), await get()]).toEqual([200, 429])
        expect(await limiter.reset('all')).toBe(true)
        expect(await get()).toBe(200)
        await limiter.block('all', '1m')
        expect(await get()).toBe(429)
        await limiter.unblock('all')
        expect([await get(), await get()]).toEqual([200, 429])
        await limiter.refund('all')
        expect(await get()).toBe(200)
      },
    )

    test('counts direct calls together with requests', async () => {
      const server = await open(perMinute(2))
      expect((await server.behind().consume('all', { cost: 2 })).allowed).toBe(true)
      expect((await server.get()).status).toBe(429)
    })

    test('needs the policies of a call if each request has its own', async () => {
      const policies = { day: fixedWindow({ limit: 1, window: '1d' }) }
      const server = await open({ key: 'all', policies: () => policies })
      await server.get()
      const limiter = server.behind()
      expect((await limiter.peek('all', { policies })).allowed).toBe(false)
      await expect((async () => limiter.peek('all'))()).rejects.toMatchObject({
        code: 'SLUICE_POLICIES_MISSING',
      })
      expect(await limiter.reset('all', { policies })).toBe(true)
      expect((await server.get()).status).toBe(200)
    })
  })
}
