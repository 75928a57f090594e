import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import { contenderCalled } from '../memory/contenders.js'
import { fastestOf, type Decider } from '../memory/contender.js'
import { freshKeys } from '../memory/keys.js'
import type { Reading } from '../processes/reading.js'
import { serve } from '../processes/serve.js'

// A contender that has seen very many keys once, and that some keys go on asking afterwards. Its name and the number of keys stand on the
// command line.

const contender = contenderCalled(process.argv[2])
const keyCount = Number(process.argv[3])
const alive = 1000
const keys = freshKeys(keyCount + alive)

serve(async (work) => (work === 'keep' ? kept() : expiring()))

/** How much is kept of each key, while its window lasts. */
async function kept(): Promise<Reading> {
  const decider = await opened(3_600_000)
  const before = bytes()
  await fill(decider)
  const bytesPerKey = (bytes() - before) / keyCount
  await stillThere(decider)
  return { bytesPerKey }
}

const windowMs = 2500

/** How long the event loop is held up while they all end, and how much is kept of each afterwards. */
async function expiring(): Promise<Reading> {
  const decider = await opened(windowMs)
  const before = bytes()
  await fill(decider)
  const stalls = monitorEventLoopDelay({ resolution: 1 })
  stalls.enable()
  // Two windows: some drop what has ended at the end of the next one.
  const until = performance.now() + 2 * windowMs + 1000
  for (let from = keyCount; performance.now() < until; from += 100) {
    const first = keyCount + (from % alive)
    await fastestOf(decider)(keys.of(range(first, first + 100)), 0, 100)
    await delay(1)
  }
  stalls.disable()
  const bytesPerKeyAfterwards = (bytes() - before) / keyCount
  await stillThere(decider)
  return { p99Ms: stalls.percentile(99) / 1e6, maxMs: stalls.max / 1e6, bytesPerKeyAfterwards }
}

async function opened(windowMs: number): Promise<Decider> {
  const decider = await contender.open({ limit: 1e6, windowMs, keys: keyCount })
  // What is loaded and compiled at first is not kept for keys.
  await fastestOf(decider)(keys.of(range(keyCount, keyCount + alive)), 0, alive)
  return decider
}

async function fill(decider: Decider): Promise<void> {
  for (let from = 0; from < keyCount; from += 1000) {
    await fastestOf(decider)(keys.of(range(from, from + 1000)), 0, 1000)
    await turn()
  }
}

/** What nobody asks any more would be collected before it is weighed. */
async function stillThere(decider: Decider): Promise<void> {
  await fastestOf(decider)(keys.of([keyCount]), 0, 1)
}

function* range(from: number, to: number): Generator<number> {
  for (let i = from; i < to; i++) yield i
}

function bytes(): number {
  // What the first one found to be garbage is counted until it is swept, which the second waits for.
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
