// Eight policies that allow 100 a minute, for the same client, on a clock of its own.
import assert from 'node:assert/strict'
import {
  createLimiter,
  fixedWindow,
  gcra,
  leakyBucket,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from '@sluice/core'

const limit = 100
const window = '1m'

const rules = {
  fixedWindow: fixedWindow({ limit, window }),
  slidingWindow: slidingWindow({ limit, window }),
  'slidingWindow, 6 buckets': slidingWindow({ limit, window, buckets: 6 }),
  slidingLog: slidingLog({ limit, window }),
  gcra: gcra({ limit, window }),
  'gcra, burst 10': gcra({ limit, window, burst: 10 }),
  tokenBucket: tokenBucket({ capacity: 100, refill: 100, every: '1m' }),
  leakyBucket: leakyBucket({ capacity: 100, leak: 100, every: '1m' }),
}

const second = 1000
const start = Date.UTC(2030, 0, 1)

/** Three minutes of three hundred requests a second from the moment `from` on, with one request before. */
async function play(policies, from) {
  let now = start
  const limiter = createLimiter({ name: 'play', policies, clock: () => now })
  const admitted = []
  async function ask() {
    const decision = await limiter.consume('greedy')
    if (decision.allowed) admitted.push(now)
    return decision
  }
  // Opens the windows that begin at the first request.
  if (from > 0) await ask()
  now = start + from
  let atOnce = 0
  while ((await ask()).allowed) atOnce++
  for (; now < start + 180 * second; now += 100) for (let i = 0; i < 30; i++) await ask()
  return { admitted, atOnce }
}

/** The most requests that any stretch of this length contains. */
function worst(admitted, lengthMs) {
  let most = 0
  for (let first = 0, last = 0; last < admitted.length; last++) {
    while (admitted[last] - admitted[first] >= lengthMs) first++
    most = Math.max(most, last - first + 1)
  }
  return most
}

/** The wait until one more request is allowed, after the limit was used up at once. */
async function waitWhenSpent(policies) {
  const limiter = createLimiter({ name: 'wait', policies, clock: () => start })
  let decision = await limiter.consume('spent')
  while (decision.allowed) decision = await limiter.consume('spent')
  return Number(decision.retryAfterMs)
}

const figures = {}
for (const [name, policies] of Object.entries(rules)) {
  // A client that knows the boundary of the window waits for it.
  const plays = await Promise.all([play(policies, 0), play(policies, 59.9 * second)])
  figures[name] = {
    'at once': plays[0].atOnce,
    'worst second': Math.max(...plays.map(({ admitted }) => worst(admitted, second))),
    'worst minute': Math.max(...plays.map(({ admitted }) => worst(admitted, 60 * second))),
    'wait, s': (await waitWhenSpent(policies)) / second,
  }
}
console.table(figures)

assert.equal(figures.fixedWindow['worst second'], 199)
assert.equal(figures.slidingWindow['worst second'], 101)
assert.equal(figures.slidingWindow['worst minute'], 198)
assert.equal(figures.slidingWindow['wait, s'], 60)
assert.equal(figures.slidingLog['worst minute'], 100)
assert.equal(figures.gcra['worst minute'], 199)
