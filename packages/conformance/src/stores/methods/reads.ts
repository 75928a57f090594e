import { describe, expect, test } from 'vitest'
import { sizedAlgorithms } from '../../samples/sized-algorithms.js'
import type { OpenSetup } from '../setup.js'

export function describeReads(open: OpenSetup): void {
  describe.each(sizedAlgorithms)('$name: calls that change nothing', ({ sample }) => {
    const { policy } = sample(5, 1000)

    test('peek returns the decision of a consume, and changes nothing', async () => {
      const setup = await open()
      const peeked = setup.limiter(policy)
      const untouched = setup.limiter(policy)
      for (const limiter of [peeked, untouched]) await limiter.consume('key', { cost: 3 })
      for (let wait = 0; wait <= 2000; wait += 250) {
        setup.now += wait
        await peeked.peek('key', { cost: 5 })
        await peeked.peek('never seen')
        setup.now -= wait
      }
      setup.now += 100
      expect(await peeked.consume('key', { cost: 2 })).toEqual(
        await untouched.consume('key', { cost: 2 }),
      )
      expect(await peeked.consume('key', { cost: 5 })).toEqual(
        await untouched.peek('key', { cost: 5 }),
      )
    })

    test('a denied request changes nothing, at once or later', async () => {
      const setup = await open()
      const pressed = setup.limiter(policy)
      const patient = setup.limiter(policy)
      for (const limiter of [pressed, patient]) await limiter.consume('key', { cost: 4 })
      for (let i = 0; i < 20; i++) {
        expect((await pressed.consume('key', { cost: 5 })).allowed).toBe(false)
        expect(await pressed.peek('key')).toEqual(await patient.peek('key'))
        setup.now += 5
      }
      setup.now += 900
      expect(await pressed.consume('key')).toEqual(await patient.consume('key'))
    })

    test('reset deletes the counts of the key, and of no other', async () => {
      const limiter = (await open()).limiter(policy)
      await limiter.consume('key', { cost: 5 })
      await limiter.consume('other', { cost: 2 })
      expect(await limiter.reset('key')).toBe(true)
      expect(await limiter.peek('key')).toMatchObject({ allowed: true, remaining: 5, resetMs: 0 })
      expect((await limiter.peek('other')).remaining).toBe(3)
    })

    test('reset of an unknown key does nothing', async () => {
      const limiter = (await open()).limiter(policy)
      expect(await limiter.reset('key')).toBe(true)
      expect((await limiter.consume('key')).remaining).toBe(4)
    })
  })
}
