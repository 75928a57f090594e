// Draws the decisions of each algorithm about the same traffic, with the real core and a simulated clock. With --check it writes nothing and
// lists the outdated drawings.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import {
  calendarWindow,
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  leakyBucket,
  leakyQueue,
  slidingLog,
  slidingWindow,
  staged,
  tokenBucket,
  unlimited,
} from '../packages/core/dist/index.js'
import { kinds } from '../packages/core/dist/algorithms/kinds.js'
import { drawn } from './plots/drawn.mjs'
import { docs } from './workspace.mjs'

const minute = 60_000
const hour = 60 * minute
const limit = 5
const window = '1h'

const plots = {
  'fixed-window': { policy: fixedWindow({ limit, window }) },
  'calendar-window': { policy: calendarWindow({ limit, period: 'hour', timeZone: 'UTC' }) },
  'sliding-window': { policy: slidingWindow({ limit, window }) },
  'sliding-log': { policy: slidingLog({ limit, window }) },
  'token-bucket': { policy: tokenBucket({ capacity: 5, refill: limit, every: '1h' }) },
  'leaky-bucket': { policy: leakyBucket({ capacity: 3, leak: limit, every: '1h' }) },
  // It is full when the next request would wait for longer: three requests wait, and one runs.
  'leaky-queue': {
    policy: leakyQueue({ leak: limit, every: '1h', maxDelay: '36m' }),
    fullMs: 48 * minute,
  },
  gcra: { policy: gcra({ limit, window, burst: 1 }) },
  concurrency: { policy: concurrency({ limit: 2, lease: '1h' }), runsFor: 15 * minute },
  staged: {
    policy: staged({
      free: fixedWindow({ limit: 3, window: '3h' }),
      // oxlint-disable-next-line unicorn/no-thenable -- the public name of the stage
      then: gcra({ limit, window, burst: 1 }),
    }),
  },
  unlimited: { policy: unlimited() },
}

/** One request that opens an hour, a full quota on each side of its end, a pause, then traffic above the limit. */
const traffic = new Set([
  0,
  ...evenly(56 * minute, 4, minute),
  ...evenly(63 * minute, 5, minute),
  ...evenly(110 * minute, 14, 5 * minute),
])

/** The options of a policy that count requests. */
const counted = new Set(['limit', 'burst', 'capacity', 'initial', 'refill', 'leak'])

const drawnKinds = new Set(Object.values(plots).map(({ policy }) => policy.kind))
const undrawn = Object.keys(kinds).filter((kind) => !drawnKinds.has(kind))
if (undrawn.length > 0) throw new Error(`.ci/plots.mjs has no plot of ${undrawn.join(', ')}`)

const folder = join(docs, 'plots')
const isCheck = process.argv.includes('--check')
const files = Object.fromEntries(
  Object.entries(plots).map(([name, plot]) => [`${name}.svg`, drawn(name, played(plot))]),
)
if (isCheck) {
  const stale = Object.keys(files).filter((file) => !isWritten(file))
  const left = readdirSync(folder).filter((file) => !Object.hasOwn(files, file))
  for (const file of stale) console.error(`${file} is out of date: node .ci/plots.mjs`)
  for (const file of left) console.error(`${file} is drawn by nothing`)
  process.exitCode = stale.length + left.length === 0 ? 0 : 1
} else {
  mkdirSync(folder, { recursive: true })
  for (const [file, svg] of Object.entries(files)) writeFileSync(join(folder, file), svg)
}

function isWritten(file) {
  const path = join(folder, file)
  return existsSync(path) && readFileSync(path, 'utf8') === files[file]
}

/** The decision about each request of the traffic, and the used share in each minute. */
function played({ policy, runsFor, fullMs }) {
  const midnight = Date.UTC(2026, 0, 1)
  let now = midnight
  const clock = () => now
  const limiter = createLimiter({ name: 'plot', policies: policy, clock })
  // Levels are whole units, so the same policy in hundredths gives exact ones.
  const meter = createLimiter({ name: 'meter', policies: inHundredths(policy), clock })
  const requests = []
  const levels = []
  let running = []
  for (let t = 0; t <= 3 * hour; t += minute) {
    // Leases that end on the minute still count just before it.
    now = midnight + t - 1
    read(t)
    now = midnight + t
    const ended = running.filter(({ until }) => until === t)
    running = running.filter(({ until }) => until > t)
    for (const { lease, measured } of ended) [lease, measured].forEach((held) => held.release())
    read(t)
    if (!traffic.has(t)) continue
    const { allowed, delayMs, lease } = limiter.consume('client')
    requests.push({ t, allowed, delayMs })
    const measured = allowed ? meter.consume('client', { cost: 100 }).lease : undefined
    if (lease !== undefined) running.push({ until: t + runsFor, lease, measured })
    read(t)
  }
  return { requests, levels, length: 3 * hour, hour }

  function read(t) {
    const { used, limit, resetMs } = meter.status('client').policies.default
    if (limit === Infinity) return
    levels.push({ t, share: fullMs === undefined ? used / limit : resetMs / fullMs })
  }
}

function inHundredths(policy) {
  const scaled = Object.entries(policy).map(([option, value]) => {
    if (counted.has(option)) return [option, value * 100]
    return [option, typeof value === 'object' ? inHundredths(value) : value]
  })
  return Object.fromEntries(scaled)
}

function evenly(from, count, every) {
  return Array.from({ length: count }, (_, i) => from + i * every)
}
