import { isDeepStrictEqual } from 'node:util'
import { memoryStore, type Policy } from '@sluice/core'
import {
  decisionFrom,
  families,
  follow,
  startsOf,
  traffic,
  unlimitedSample,
  type Followed,
} from '@sluice/conformance'
import { patienceMs, runs, seed } from '@sluice/test-kit/random'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

/** The number of random steps for each algorithm. The long run has millions. */
const stepsEach = runs(8000)
/** The same algorithms again, with blocks. */
const stepsBlocked = runs(2500)

describe.each(families)('$name', ({ name, samples }) => {
  const steps = name.endsWith(', with a block') ? stepsBlocked : stepsEach

  test.each(samples.map((one) => ({ numbers: numbersOf(one.policy), one })))(
    'every field of a decision equals that of the model: $numbers',
    ({ one }) => followFor(one, steps / samples.length),
    patienceMs,
  )
})

test('every field of a decision of unlimited equals that of the model', async () => {
  await followFor(unlimitedSample, 1000)
})

async function followFor(sample: Followed, atLeast: number): Promise<void> {
  let round = seed
  for (let steps = 0; steps < atLeast; round++) steps += await followSome(sample, round)
}

/** Compares some random histories of a key with the model, and returns their number of steps. */
async function followSome(sample: Followed, round: number): Promise<number> {
  let steps = 0
  await fc.assert(
    fc.asyncProperty(startsOf(sample), traffic, async (start, taken) => {
      steps += taken.length
      for (const answer of await follow(sample, memoryStore(), 'limiter', start, taken)) {
        const expected = decisionFrom(answer.expected)
        // The comparison of `expect` is many times slower, and is needed only for its message.
        if (!isDeepStrictEqual(answer.decision, expected)) expect(answer.decision).toEqual(expected)
      }
    }),
    { numRuns: runs(50), seed: round },
  )
  return steps
}

function numbersOf({ kind: _kind, ...numbers }: Policy): string {
  return JSON.stringify(numbers)
}
