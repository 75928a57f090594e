import { describe, expect, test } from 'vitest'
import { contenders } from '../../src/memory/contenders.js'
import { fastestOf } from '../../src/memory/contender.js'
import { freshKeys } from '../../src/memory/keys.js'
import { nanosecondsOf } from '../../src/memory/timing.js'

const windowMs = 3_600_000
const keys = freshKeys(30).of(Array(30).keys())

describe('every contender in memory', () => {
  test.each(contenders)('$name counts each key up to its limit', async ({ open }) => {
    const decider = await open({ limit: 2, windowMs, keys: 1000 })
    for (const count of ['called', 'awaited'] as const) {
      const way = decider[count] ?? decider.awaited
      expect(await way(keys, 0, 10)).toBe(10)
    }
    expect(await decider.awaited(keys, 0, 20)).toBe(10)
    await decider.close?.(keys)
  })

  test.each(contenders.filter(({ openThree }) => openThree !== undefined))(
    '$name denies by the strictest of three policies',
    async ({ openThree }) => {
      // The first policy has a tenth of the limit.
      const opened = await openThree?.({ limit: 20, windowMs, keys: 1000 })
      const decide = opened === undefined ? undefined : fastestOf(opened)
      expect([
        await decide?.(keys, 0, 30),
        await decide?.(keys, 0, 30),
        await decide?.(keys, 0, 30),
      ]).toEqual([30, 30, 0])
    },
  )
})

describe('the time of a decision', () => {
  test.each([
    { expected: true, allowed: 12 },
    { expected: false, allowed: 1 },
  ])(
    'is refused if $allowed of 12 decisions are allowed and all must be $expected',
    async (one) => {
      let left = one.allowed - (one.expected ? 1 : 0)
      const decide = (_keys: readonly string[], from: number, to: number) => {
        const allowed = Math.min(left, to - from)
        left -= allowed
        return allowed
      }
      await expect(nanosecondsOf(decide, keys.slice(0, 12), one.expected)).rejects.toThrow(
        /of 12 were allowed/,
      )
    },
  )
})
