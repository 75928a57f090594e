import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decisionFrom, follow } from '../follow.js'
import { subjects } from '../subjects.js'
import { patienceMs, runs, starts, traffic } from '../traffic.js'
import type { OpenBench } from './bench.js'

export function describeDefinitions(open: OpenBench): void {
  describe('each algorithm', () => {
    test.each(subjects)(
      '$name answers as its definition says',
      async ({ sample, further }) => {
        const { store } = await open()
        const samples = fc.constantFrom(sample(7, 1000), sample(100, 60_000), ...further)
        await fc.assert(
          fc.asyncProperty(samples, starts, traffic, async (sample, start, steps) => {
            for (const one of await follow(sample, store, randomUUID(), start, steps)) {
              expect(one.decision).toEqual(decisionFrom(one.expected))
            }
          }),
          { numRuns: runs(40) },
        )
      },
      patienceMs,
    )
  })
}
