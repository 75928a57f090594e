import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { families } from '../../samples/families.js'
import { decisionFrom, follow } from '../../traffic/follow.js'
import { patienceMs } from '@sluice/test-kit/random'
import { startsOf, traffic } from '../../traffic/traffic.js'
import type { OpenSetup } from '../setup.js'

export function describeDefinitions(open: OpenSetup): void {
  describe('each algorithm', () => {
    test.each(families)(
      '$name makes the same decisions as its model',
      async ({ samples }) => {
        const { store } = await open()
        const anywhere = fc
          .constantFrom(...samples)
          .chain((sample) => fc.tuple(fc.constant(sample), startsOf(sample)))
        await fc.assert(
          fc.asyncProperty(anywhere, traffic, async ([sample, start], steps) => {
            for (const one of await follow(sample, store, randomUUID(), start, steps)) {
              expect(one.decision).toEqual(decisionFrom(one.expected))
            }
          }),
          { numRuns: open.runs(40) },
        )
      },
      patienceMs,
    )
  })
}
