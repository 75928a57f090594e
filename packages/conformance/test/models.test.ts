import { memoryStore, type Policy } from '@sluice/core'
import {
  decisionFrom,
  follow,
  patienceMs,
  runs,
  sizes,
  starts,
  subjects,
  traffic,
} from '@sluice/conformance'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

describe.each(subjects)('$name', ({ sample, further }) => {
  const samples = [...sizes.map(([limit, windowMs]) => sample(limit, windowMs)), ...further]

  test.each(samples.map((one) => ({ numbers: numbersOf(one.policy), one })))(
    'decides by its definition in every field: $numbers',
    async ({ one }) => {
      await fc.assert(
        fc.asyncProperty(starts, traffic, async (start, steps) => {
          for (const answer of await follow(one, memoryStore(), 'limiter', start, steps)) {
            expect(answer.decision).toEqual(decisionFrom(answer.expected))
          }
        }),
        { numRuns: runs(150) },
      )
    },
    patienceMs,
  )
})

function numbersOf({ kind: _kind, ...numbers }: Policy): string {
  return JSON.stringify(numbers)
}
