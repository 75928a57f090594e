import type { Block } from '@sluice/core'
import type { PolicyKind } from '@sluice/core/internal'
import { calendars } from './calendars.js'
import { bucketsBornPartFull } from './born.js'
import { leases } from './leases.js'
import { queues } from './queues.js'
import { stages } from './stages.js'
import type { Sample } from './sample.js'
import { sizes, sizedAlgorithms, type SizedKind } from './sized-algorithms.js'

/** One algorithm, with all policies that the suites test. */
export interface Family {
  readonly name: string
  readonly samples: readonly Sample[]
}

const measured: readonly Family[] = sizedAlgorithms.map(({ name, sample, further }) => ({
  name,
  samples: [...sizes.map(([limit, windowMs]) => sample(limit, windowMs)), ...further],
}))

/** The samples of all other kinds. A test of its own covers `unlimited`, which has no numbers. */
const unmeasured: Readonly<Record<Exclude<PolicyKind, SizedKind | 'unlimited'>, Family>> = {
  calendarWindow: { name: 'calendar window', samples: calendars },
  leakyQueue: { name: 'leaky queue', samples: queues },
  staged: { name: 'staged', samples: stages },
  concurrency: { name: 'concurrency', samples: leases },
}

const unblocked: readonly Family[] = [
  ...measured,
  { name: 'token bucket that starts partly full', samples: bucketsBornPartFull },
  ...Object.values(unmeasured),
]

/** Every algorithm in all its forms, each without and with a block. */
export const families: readonly Family[] = [
  ...unblocked,
  ...unblocked.map(({ name, samples }) => ({
    name: `${name}, with a block`,
    samples: samples.map((sample, i) => sample.blocked(blockOf(sample, i))),
  })),
]

/** Blocks shorter and longer than the window, of every kind in turn. */
function blockOf({ windowMs }: Sample, i: number): Block {
  const half = Math.max(1, Math.floor(windowMs / 2))
  const longest = Math.max(5 * windowMs, 100)
  const kinds: readonly Block[] = [
    { on: 'reached', for: half, escalate: 1, max: longest },
    { on: 'exceeded', for: half, escalate: 2, max: longest },
    { on: 'exceeded', for: 3 * windowMs, escalate: 1, max: longest },
    { on: 'reached', for: 2 * windowMs, escalate: 1.5, max: longest },
    { on: 'exceeded', for: 7, escalate: 10, max: longest },
  ]
  return kinds[i % kinds.length]
}
