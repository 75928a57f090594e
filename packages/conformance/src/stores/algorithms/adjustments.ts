import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { concurrency, fixedWindow, gcra, slidingWindow, type AdjustmentEvent } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import { sizedAlgorithms } from '../../samples/sized-algorithms.js'
import type { OpenSetup } from '../setup.js'

const hourMs = 3_600_000
const window = fixedWindow({ limit: 10, window: '1m' })

export function describeAdjustments(open: OpenSetup): void {
  describe.each(sizedAlgorithms)('$name: adjusted costs', ({ sample }) => {
    test.each([
      ['less than the estimate', 2],
      ['more than the estimate', 9],
      ['nothing', 0],
      ['more than the limit', 13],
      ['what the estimate was', 5],
    ])('a decision that took %s counts what it took', async (_, cost) => {
      const limiter = (await open()).limiter(sample(10, hourMs).policy)
      const decision = await limiter.consume('key', { cost: 5 })
      expect(await limiter.adjust(decision, cost)).toBe(true)
      const { used, remaining } = (await limiter.status('key')).policies['default']
      expect([used, remaining]).toEqual([cost, Math.max(0, 10 - cost)])
    })

    test('it is adjusted once, and its refund returns what it has taken then', async () => {
      const limiter = (await open()).limiter(sample(10, hourMs).policy)
      await limiter.consume('key')
      const decision = await limiter.consume('key', { cost: 4 })
      expect(await limiter.adjust(decision, 7)).toBe(true)
      expect(await limiter.adjust(decision, 1)).toBe(false)
      expect((await limiter.status('key')).policies['default'].used).toBe(8)
      expect(await limiter.refund(decision)).toBe(true)
      expect((await limiter.status('key')).policies['default'].used).toBe(1)
      expect(await limiter.adjust(decision, 9)).toBe(false)
    })

    test('a denied or refunded decision, and one whose units no longer count, are not adjusted', async () => {
      const setup = await open()
      const limiter = setup.limiter(sample(10, 1000).policy)
      const refunded = await limiter.consume('key', { cost: 3 })
      await limiter.refund(refunded)
      const allowed = await limiter.consume('key', { cost: 10 })
      const denied = await limiter.consume('key')
      expect([await limiter.adjust(refunded, 5), await limiter.adjust(denied, 5)]).toEqual([
        false,
        false,
      ])
      expect((await limiter.status('key')).policies['default'].used).toBe(10)
      setup.now += 60_000
      expect(await limiter.adjust(allowed, 5)).toBe(false)
      expect((await limiter.status('key')).policies['default'].used).toBe(0)
    })

    test('a block that the estimate started ends when less was taken', async () => {
      const block = { on: 'reached', for: hourMs, escalate: 1, max: hourMs } as const
      const limiter = (await open()).limiter(sample(10, hourMs).blocked(block).policy)
      const decision = await limiter.consume('key', { cost: 10 })
      await limiter.adjust(decision, 9)
      const { blockedMs, remaining } = (await limiter.status('key')).policies['default']
      expect([blockedMs, remaining]).toEqual([0, 1])
    })

    test('the units that a grant paid are given back to it, and taken from it', async () => {
      const limiter = (await open()).limiter(sample(10, hourMs).policy)
      await limiter.grant('key', 20, { for: '1h' })
      await limiter.consume('key', { cost: 10 })
      const [one, other] = await limiter.consumeMany([
        { key: 'key', cost: 4 },
        { key: 'key', cost: 4 },
      ])
      expect(await limiter.adjust(one, 1)).toBe(true)
      expect(await limiter.adjust(other, 6)).toBe(true)
      const { used, granted } = (await limiter.status('key')).policies['default']
      expect([used, granted]).toEqual([10, 13])
      await limiter.ungrant('key')
      expect((await limiter.status('key')).policies['default'].used).toBe(10)
    })
  })

  describe('adjusted costs', () => {
    test('a record adjusts the policies that it names, each once, and not the units of leases', async () => {
      const limiter = (await open()).limiter({
        tokens: fixedWindow({ limit: 1000, window: '1d' }),
        calls: window,
        running: concurrency({ limit: 9, lease: '1m' }),
      })
      const decision = await limiter.consume('key', { cost: { tokens: 400 } })
      expect(await limiter.adjust(decision, { tokens: 520, running: 3 })).toBe(true)
      expect(await limiter.adjust(decision, { tokens: 1 })).toBe(false)
      const used = async () =>
        Object.values((await limiter.status('key')).policies).map(({ used }) => used)
      expect(await used()).toEqual([520, 1, 1])
      expect(await limiter.adjust(decision, { calls: 4 })).toBe(true)
      expect(await used()).toEqual([520, 4, 1])
      expect(await limiter.refund(decision)).toBe(true)
      expect(await used()).toEqual([0, 0, 0])
    })

    test('a bucket that has drained since takes only what the estimate lacked', async () => {
      const setup = await open()
      const limiter = setup.limiter(gcra({ limit: 100, window: '100s' }))
      const decision = await limiter.consume('key', { cost: 50 })
      setup.now += 20_000
      await limiter.adjust(decision, 60)
      expect((await limiter.status('key')).policies['default'].used).toBe(40)
    })

    test('units that stay count until the time at which they were taken', async () => {
      const setup = await open()
      const limiter = setup.limiter(slidingWindow({ limit: 10, window: 1000 }))
      await limiter.consume('key')
      setup.now += 600
      const decision = await limiter.consume('key', { cost: 8 })
      await limiter.adjust(decision, 2)
      const { resetMs } = (await limiter.status('key')).policies['default']
      expect(resetMs).toBe(1000)
    })

    test('an adjustment is published with the estimate', async () => {
      const limiter = (await open()).limiter(window)
      const events: AdjustmentEvent[] = []
      // Other tests of this process may publish, too.
      const note = (event: unknown) => void events.push(event as AdjustmentEvent)
      subscribe('sluice:adjustment', note)
      const decision = await limiter.consume('key', { cost: 5 })
      await limiter.adjust(decision, 3)
      await limiter.adjust(decision, 4)
      unsubscribe('sluice:adjustment', note)
      const own = events.filter((event) => event.decision === decision)
      expect(own).toEqual([
        { limiter: limiter.name, keys: { default: 'key' }, cost: 3, estimate: 5, decision },
      ])
    })

    test.each([
      ['a fraction', 1.5, 'SLUICE_COST_INVALID'],
      ['a negative number', -1, 'SLUICE_COST_INVALID'],
      ['an unknown policy', { other: 1 }, 'SLUICE_POLICY_NAME_UNKNOWN'],
    ])('%s is an error, and the decision can still be adjusted', async (_, cost, code) => {
      const limiter = (await open()).limiter(window)
      const decision = await limiter.consume('key', { cost: 5 })
      await expect((async () => limiter.adjust(decision, cost))()).rejects.toMatchObject({ code })
      expect(await limiter.adjust(decision, 1)).toBe(true)
    })

    test('a copy of a decision, and the decision of another limiter, are errors', async () => {
      const setup = await open()
      const decision = await setup.limiter(window).consume('key')
      const other = setup.limiter(window)
      for (const wrong of [{ ...decision }, decision]) {
        await expect((async () => other.adjust(wrong, 1))()).rejects.toMatchObject({
          code: 'SLUICE_DECISION_FOREIGN',
        })
      }
    })
  })
}
