import { conditionsOf, sentenceOf } from '../conditions.js'
import { contenders } from '../memory/contenders.js'
import { ours } from '../memory/sluice.js'
import {
  allTimesOf,
  labelOf,
  ratiosOfMemory,
  speedTable,
  threePoliciesTable,
  ways,
  type Measured,
} from '../memory/tables.js'
import type { Variant } from '../memory/variants.js'
import { inTurns, type Readings } from '../processes/in-turns.js'
import type { Section } from '../section.js'

const program = new URL('../memory/process.js', import.meta.url)

/** The CPU time of a decision in memory, compared with the least work that counting takes. */
export const memory: Section = {
  name: 'memory',
  minutes: 4,
  async run(say, quick) {
    const rounds = quick ? 3 : 41
    const node = ['--expose-gc']
    const runs = [
      ...runsOf(contenders, 'alone'),
      ...runsOf(ours, 'after mixed use'),
      ...runsOf(ours, 'with a subscriber'),
      ...runsOf(
        contenders.filter(({ openThree }) => openThree !== undefined),
        'three policies',
      ),
    ]
    const entrants = runs.map((run) => ({
      name: labelOf(run),
      program,
      args: [run.name, run.variant],
      node,
    }))
    const readings = await inTurns(entrants, { rounds, say })
    const measured = runs.map(({ name, variant }) => {
      return { name, variant, ways: waysOf(readings, labelOf({ name, variant })) }
    })
    const conditions = await conditionsOf()
    return {
      results: {
        conditions,
        rounds,
        contenders: measured.map((one) => ({
          name: labelOf(one),
          times: allTimesOf(readings, one),
        })),
      },
      ratios: ratiosOfMemory(readings, measured),
      table: [
        `${sentenceOf(conditions)} ${rounds} rounds: the median, and the lowest and highest.`,
        '',
        'Decisions per unit of CPU time ÷ those of a bare `Map`: more is better. The column of new keys is the time ÷ that of the `Map`: less is better.',
        '',
        'Called in a loop without `await`, if the library answers without a promise. _After mixed use_: the process has used all algorithms, leases, blocks, denials, refunds and limiters of several policies before. _With a subscriber_: a function counts the events of all decisions.',
        '',
        speedTable(readings, measured, 'called'),
        '',
        'Called in a loop, and each answer awaited:',
        '',
        speedTable(readings, measured, 'awaited'),
        '',
        'Three policies in one limiter: time ÷ that of one policy, less is better:',
        '',
        threePoliciesTable(readings, measured),
      ].join('\n'),
    }
  },
}

function runsOf(
  some: readonly { readonly name: string }[],
  variant: Variant,
): Pick<Measured, 'name' | 'variant'>[] {
  return some.map(({ name }) => ({ name, variant }))
}

function waysOf(readings: Readings, label: string): Measured['ways'] {
  const [first = {}] = readings.get(label) ?? []
  return ways.filter((way) => `zipf ${way}` in first)
}
