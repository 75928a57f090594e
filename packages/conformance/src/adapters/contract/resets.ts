import { concurrency } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import type { OpenBench } from '../bench.js'
import { until } from '../until.js'
import { untilUsed, usedOf } from './used.js'

const policy = concurrency({ limit: 5, lease: '10s' })

/** Of HTTP/2 only. Node emits no event on the response of a HEAD request that the client resets. */
export function describeResets(open: OpenBench): void {
  describe('HEAD requests that the client resets', () => {
    test.each(['done', 'close'] as const)('hold no units: releaseOn: %s', async (releaseOn) => {
      const bench = await open({ policy, key: 'all', releaseOn })
      const sent = Array.from({ length: 5 }, () => bench.send({ 'x-answer': 'hold' }, '/', 'HEAD'))
      await bench.holding(5)
      expect(await usedOf(bench, policy)).toBe(5)
      for (const { hangUp } of sent) hangUp()
      if (releaseOn === 'done') bench.letGo()
      await untilUsed(bench, policy, 0)
      bench.letGo()
      expect((await bench.get()).status).toBe(200)
      expect(bench.errors).toEqual([])
    })

    test('take no units where they wait', async () => {
      const one = concurrency({ limit: 1, lease: '10s' })
      const bench = await open({ policy: one, key: 'all', wait: { max: '10s' } })
      const first = bench.send({ 'x-answer': 'hold' })
      await bench.holding(1)
      const sent = Array.from({ length: 5 }, () => bench.send({}, '/', 'HEAD'))
      await until('they have arrived', () => bench.arrived === 6)
      for (const { hangUp } of sent) hangUp()
      bench.letGo()
      expect((await first.reply).status).toBe(200)
      expect((await bench.get()).status).toBe(200)
      await untilUsed(bench, one, 0)
      expect(bench.reached.length).toBe(2)
      expect(bench.errors).toEqual([])
    })
  })
}
