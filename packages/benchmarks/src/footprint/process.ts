import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import { contenders } from '../memory/contenders.js'
import { fastestOf, type Decider } from '../memory/contender.js'
import { freshKeys } from '../memory/keys.js'
import { called } from '../processes/called.js'
import type { Reading } from '../processes/reading.js'
import { serve } from '../processes/serve.js'

// Measures a contender that has seen many keys once, while a few other keys stay in use. The command line has its name and the number of
// keys.

const contender = called(contenders, process.argv[2])
const keyCount = Number(process.argv[3])
const activeKeys = 1000
const keys = freshKeys(keyCount + activeKeys)

serve(async (work) => (work === 'keep' ? kept() : expiring()))

/** The bytes of each key during its window. */
async function kept(): Promise<Reading> {
  const decider = await opened(3_600_000)
  const before = bytes()
  await fill(decider)
  const bytesPerKey = (bytes() - before) / keyCount
  await keepReachable(decider)
  return { bytesPerKey }
}

const windowMs = 2500

/** The delays of the event loop while all keys expire, and the bytes of each key afterwards. */
async function expiring(): Promise<Reading> {
  const decider = await opened(windowMs)
  const before = bytes()
  await fill(decider)
  const stalls = monitorEventLoopDelay({ resolution: 1 })
  stalls.enable()
  // Two windows: some libraries remove an expired key only at the end of the next window.
  const until = performance.now() + 2 * windowMs + 1000
  for (let from = keyCount; performance.now() < until; from += 100) {
    const first = keyCount + (from % activeKeys)
    await fastestOf(decider)(keys.of(range(first, first + 100)), 0, 100)
    await delay(1)
  }
  stalls.disable()
  const bytesPerKeyAfterwards = (bytes() - before) / keyCount
  await keepReachable(decider)
  return { p99Ms: stalls.percentile(99) / 1e6, maxMs: stalls.max / 1e6, bytesPerKeyAfterwards }
}

async function opened(windowMs: number): Promise<Decider> {
  const decider = await contender.open({ limit: 1e6, windowMs, keys: keyCount })
  // Modules and compiled code are not counted as memory of keys.
  await fastestOf(decider)(keys.of(range(keyCount, keyCount + activeKeys)), 0, activeKeys)
  return decider
}

async function fill(decider: Decider): Promise<void> {
  for (let from = 0; from < keyCount; from += 1000) {
    await fastestOf(decider)(keys.of(range(from, from + 1000)), 0, 1000)
    await turn()
  }
}

/** Uses the limiter once more, so that it is not collected before the measurement. */
async function keepReachable(decider: Decider): Promise<void> {
  await fastestOf(decider)(keys.of([keyCount]), 0, 1)
}

function* range(from: number, to: number): Generator<number> {
  for (let i = from; i < to; i++) yield i
}

function bytes(): number {
  // Garbage of the first collection is counted until it is swept, and the second collection waits for that.
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
