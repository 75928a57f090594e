import { concurrency } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import type { OpenServer } from '../../test-server.js'
import { until } from '../../until.js'
import { untilUsed, usedOf } from '../used.js'

const policy = concurrency({ limit: 5, lease: '10s' })

/** HTTP/2 only. Node emits no event on the response of a HEAD request that the client resets. */
export function describeResets(open: OpenServer): void {
  describe('HEAD requests that the client resets', () => {
    test.each(['done', 'close'] as const)('hold no units: releaseOn: %s', async (releaseOn) => {
      const server = await open({ policies: policy, key: 'all', releaseOn })
      const sent = Array.from({ length: 5 }, () => server.send({ 'x-answer': 'hold' }, '/', 'HEAD'))
      await server.holding(5)
      expect(await usedOf(server, policy)).toBe(5)
      for (const { hangUp } of sent) hangUp()
      if (releaseOn === 'done') server.letGo()
      await untilUsed(server, policy, 0)
      server.letGo()
      expect((await server.get()).status).toBe(200)
      expect(server.errors).toEqual([])
    })

    test('take no units while they wait', async () => {
      const one = concurrency({ limit: 1, lease: '10s' })
      const server = await open({ policies: one, key: 'all', wait: { max: '10s' } })
      const first = server.send({ 'x-answer': 'hold' })
      await server.holding(1)
      const sent = Array.from({ length: 5 }, () => server.send({}, '/', 'HEAD'))
      await until('they have arrived', () => server.arrived === 6)
      for (const { hangUp } of sent) hangUp()
      server.letGo()
      expect((await first.reply).status).toBe(200)
      expect((await server.get()).status).toBe(200)
      await untilUsed(server, one, 0)
      expect(server.reached.length).toBe(2)
      expect(server.errors).toEqual([])
    })
  })
}
