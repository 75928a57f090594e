import { isDeepStrictEqual, inspect } from 'node:util'
import { memoryStore } from '@sluice/core'
import fc from 'fast-check'
import { families, type Family } from './families.js'
import { decisionFrom, follow } from './follow.js'
import { startsOf, traffic } from './traffic.js'

/**
 * Follows every algorithm for its share of ten million random steps against its model, and ends at the first step that differs, with the
 * traffic that shows it and the seed to have it again: `pnpm --filter @sluice/conformance long-run [steps] [seed]`.
 */
const [steps = 10_000_000, firstSeed = Date.now() % 2 ** 31] = process.argv.slice(2).map(Number)
const started = performance.now()
let seed = firstSeed
let done = 0

for (const [i, family] of families.entries()) {
  const share = Math.floor((steps * (i + 1)) / families.length)
  while (done < share) {
    await chunk(family)
    report(family)
  }
}
process.stdout.write('\n')

/** A few thousand steps, so that a failure is found again by its seed in a moment. */
async function chunk({ samples }: Family): Promise<void> {
  const cases = fc
    .constantFrom(...samples.keys())
    .chain((index) => startsOf(samples[index]).map((start) => ({ index, start })))
  const property = fc.asyncProperty(cases, traffic, async ({ index, start }, taken) => {
    done += taken.length
    for (const { decision, expected, ...asked } of await follow(
      samples[index],
      memoryStore(),
      'limiter',
      start,
      taken,
    )) {
      const right = decisionFrom(expected)
      if (!isDeepStrictEqual({ ...decision }, right)) {
        const policy = JSON.stringify(samples[index].policy)
        throw new Error(
          `${policy}, asked ${inspect(asked)}, said ${inspect(decision)}, not ${inspect(right)}`,
        )
      }
    }
  })
  await fc.assert(property, { numRuns: 500, seed: seed++ })
}

function report({ name }: Family): void {
  const seconds = Math.round((performance.now() - started) / 1000)
  const million = (done / 1e6).toFixed(2)
  const line = `${million} of ${steps / 1e6} million steps, ${seconds} s, seed ${seed}: ${name}`
  process.stdout.write(process.stdout.isTTY ? `\r\u001B[K${line}` : `${line}\n`)
}
