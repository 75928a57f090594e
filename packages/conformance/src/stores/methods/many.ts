import { fixedWindow, gcra, notLimited } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import type { OpenSetup } from '../setup.js'

export function describeMany(open: OpenSetup): void {
  describe('many keys at once', () => {
    const policies = {
      window: fixedWindow({ limit: 2, window: '1m' }),
      pace: gcra({ limit: 5, window: '1h' }),
    }

    test('are decided separately and in order, like one call after another', async () => {
      const setup = await open()
      const requests = [
        { key: 'a', cost: 2 },
        { key: 'b' },
        { key: 'a' },
        { key: { window: 'a', pace: notLimited }, cost: 0 },
        { key: { window: 'b', pace: 'a' } },
        { key: { window: notLimited, pace: notLimited } },
        { key: 'c', cost: 6 },
      ]
      const [together, apart] = [setup.limiter(policies), setup.limiter(policies)]
      const expected = []
      for (const { key, cost = 1 } of requests) expected.push(await apart.consume(key, { cost }))
      expect(await together.consumeMany(requests)).toEqual(expected)
      expect(expected.map(({ allowed }) => allowed)).toEqual([
        true,
        true,
        false,
        true,
        true,
        true,
        false,
      ])
    })

    test('peekMany returns the decisions for many keys, and changes nothing', async () => {
      const limiter = (await open()).limiter(policies)
      await limiter.consume('a', { cost: 2 })
      const requests = [{ key: 'a' }, { key: 'b', cost: 2 }, { key: 'b' }]
      const first = await limiter.peekMany(requests)
      expect(first.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
        [false, 0],
        [true, 2],
        [true, 2],
      ])
      expect(await limiter.peekMany(requests)).toEqual(first)
    })

    test('may be an empty list', async () => {
      const limiter = (await open()).limiter(policies)
      expect(await limiter.consumeMany([])).toEqual([])
      expect(await limiter.peekMany([])).toEqual([])
    })

    test('are all refused if one of them is invalid, and no unit is taken', async () => {
      const limiter = (await open()).limiter(policies)
      const call = async () => limiter.consumeMany([{ key: 'a' }, { key: '' }])
      await expect(call()).rejects.toMatchObject({ code: 'SLUICE_KEY_INVALID' })
      expect((await limiter.peek('a')).remaining).toBe(2)
    })
  })
}
