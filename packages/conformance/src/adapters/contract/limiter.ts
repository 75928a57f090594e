import { concurrency, fixedWindow } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import type { OpenServer } from '../test-server.js'
import { limitFields } from './limit-fields.js'
import { perMinute } from './limits.js'
import { usedOf } from './used.js'

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

    test('lets requests of an exempt key continue, with the headers of what was counted before', async () => {
      const server = await open({ ...perMinute(2), count: 'failures' })
      const limiter = server.behind()
      await limiter.consume('all', { cost: 2 })
      await limiter.exempt('all', '1h')
      for (let i = 0; i < 3; i++) {
        const reply = await server.get({ 'x-answer': i === 1 ? '404' : '200' })
        expect(reply.status).toBe(i === 1 ? 404 : 200)
        expect(limitFields(reply)).toMatchObject({ ratelimit: expect.stringContaining(';r=0;t=') })
        expect(limitFields(reply)).not.toHaveProperty('retry-after')
      }
      await limiter.unexempt('all')
      expect((await server.get()).status).toBe(429)
      expect(server.verbs).not.toContain('refundReceipt')
      expect((await limiter.status('all')).policies['default'].used).toBe(2)
    })

    test('a request of an exempt key holds no unit of concurrency', async () => {
      const policy = concurrency({ limit: 1, lease: '1m' })
      const server = await open({ policies: policy, key: 'all' })
      await server.behind().exempt('all', '1h')
      const held = [server.send({ 'x-answer': 'hold' }), server.send({ 'x-answer': 'hold' })]
      await server.holding(2)
      expect(await usedOf(server, policy)).toBe(0)
      server.letGo()
      const replies = await Promise.all(held.map(async ({ reply }) => reply))
      expect(replies.map(({ status }) => status)).toEqual([200, 200])
      expect(server.verbs).not.toContain('release')
    })

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
