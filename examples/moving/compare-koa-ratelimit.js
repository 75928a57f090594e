// Checks what the page says: which responses of the two libraries are the same, and which differ.
import assert from 'node:assert/strict'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { byIp, fixedWindow, notLimited, rateLimit, redisStore, slidingLog } from '@sluice/koa'
import { Redis } from 'ioredis'
import Koa from 'koa'
import ratelimit from 'koa-ratelimit'
import { compares, limitHeaders, statuses, visit } from './check/visit.js'
import { app as after } from './koa-ratelimit/after.js'
import { app as before } from './koa-ratelimit/before.js'
import { app as beside, compared } from './koa-ratelimit/beside.js'

// The same requests get the same statuses.
for (const app of [before, after]) {
  await visit(app.callback(), async (ask) => {
    assert.deepEqual(await statuses(ask, 12), [...Array(10).fill(200), 429, 429])
    assert.deepEqual(await (await ask()).json(), { error: 'Too many requests.' })
    assert.deepEqual(await statuses(ask, 2, '/health'), [200, 200])
  })
}

// Both limiters together: the old one responds and writes its headers, and both decide alike.
await visit(beside.callback(), async (ask) => {
  const first = limitHeaders(await ask())
  assert.deepEqual(Object.keys(first), [
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
  ])
  assert.equal(first['x-ratelimit-remaining'], '9')
  assert.deepEqual(await statuses(ask, 2, '/health'), [200, 200])
  assert.deepEqual(await statuses(ask, 11), [...Array(9).fill(200), 429, 429])
})
assert.deepEqual(await compares(compared, 12), { same: 12, stricter: 0, looser: 0 })

const inMemory = (options) => ratelimit({ driver: 'memory', db: new Map(), ...options })
const minute = { limit: 1, window: '1m', algorithm: fixedWindow }
const oldMinute = { max: 1, duration: 60_000 }

await side(
  'the default headers: a date, and whole seconds',
  inMemory(oldMinute),
  rateLimit({ ...minute, headers: 'legacy-epoch' }),
  async (ask) => {
    const { 'x-ratelimit-reset': reset, ...others } = limitHeaders(await ask())
    return [others, Number(reset) > 1e9, Number.isInteger(Number(reset))]
  },
  [{ 'x-ratelimit-limit': '1', 'x-ratelimit-remaining': '0' }, true, false],
  [{ 'x-ratelimit-limit': '1', 'x-ratelimit-remaining': '0' }, true, true],
)
const still = Date.now()
await side(
  'Retry-After, rounded',
  inMemory(oldMinute),
  rateLimit({ ...minute, clock: () => still }),
  async (ask) => {
    await ask()
    return Number((await ask()).headers.get('Retry-After')) < 60
  },
  true,
  false,
)
const bodies = async (ask) => {
  await ask()
  const types = ['*/*', 'text/plain'].map(async (Accept) => {
    const { headers } = await ask('/', { headers: { Accept } })
    return headers.get('Content-Type')
  })
  return Promise.all(types)
}
await side(
  'the body of a 429',
  inMemory(oldMinute),
  rateLimit(minute),
  bodies,
  ['text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
  ['application/problem+json', 'text/plain; charset=utf-8'],
)
const pairs = async (ask) => {
  const seen = []
  for (const address of ['2001:db8::1', '2001:db8::2', '192.0.2.1', '::ffff:192.0.2.1']) {
    seen.push((await ask('/', { headers: { 'X-Forwarded-For': address } })).status)
  }
  return seen
}
await side(
  'two addresses of one IPv6 subnet, and two notations of an IPv4 one',
  inMemory(oldMinute),
  rateLimit({ ...minute, key: byIp() }),
  pairs,
  [200, 200, 200, 200],
  [200, 429, 200, 429],
)
await side(
  'requests that are not limited',
  inMemory({ ...oldMinute, id: () => false }),
  rateLimit({ ...minute, key: () => notLimited }),
  (ask) => statuses(ask, 2),
  [200, 200],
  [200, 200],
)
await side(
  'a key that is undefined',
  inMemory({ ...oldMinute, id: () => undefined }),
  rateLimit({ ...minute, key: () => undefined }),
  (ask) => statuses(ask, 2),
  [500, 500],
  [400, 400],
)
await side(
  'a key that is a number',
  inMemory({ ...oldMinute, id: () => 5 }),
  rateLimit({ ...minute, key: () => 5 }),
  (ask) => statuses(ask, 2),
  [200, 429],
  [400, 400],
)
await side(
  'no store given',
  ratelimit({ ...oldMinute, driver: 'memory' }),
  rateLimit(minute),
  (ask) => statuses(ask, 2),
  [200, 200],
  [200, 429],
)
await side(
  'an error instead of a response',
  inMemory({ ...oldMinute, throw: true, errorMessage: 'Slow down.' }),
  rateLimit({ ...minute, onDenied: (ctx) => ctx.throw(429, 'Slow down.') }),
  async (ask) => {
    await ask()
    const response = await ask()
    const { status, headers } = response
    return [status, headers.has('Retry-After'), await response.text()]
  },
  [429, true, 'Slow down.'],
  [429, true, 'Slow down.'],
)

// koa-ratelimit never removes expired counts.
const db = new Map()
await visit(appWith(ratelimit({ driver: 'memory', db, max: 1, duration: 1 })).callback(), pairs)
await sleep(10)
assert.equal(db.size, 4)

// In Redis, koa-ratelimit keeps a log, as slidingLog does: a unit is free again one window after it was used.
const redis = new Redis(process.env.REDIS_URL)
let ahead = 0
const { bigint } = process.hrtime
process.hrtime.bigint = () => bigint() + BigInt(ahead) * 1_000_000n
const clock = () => Date.now() + ahead
const log = {
  limit: 2,
  window: '1m',
  algorithm: slidingLog,
  store: redisStore(redis, { timeout: '5s' }),
  clock,
}
for (const limiter of [ratelimit({ db: redis, max: 2, duration: 60_000 }), rateLimit(log)]) {
  await visit(appWith(limiter).callback(), async (ask) => {
    const seen = []
    for (const step of [0, 30_000, 15_000, 30_000, 1_000]) {
      ahead += step
      seen.push((await ask()).status)
    }
    assert.deepEqual(seen, [200, 200, 429, 200, 429])
  })
}
process.hrtime.bigint = bigint
await redis.quit()

// Redis is unavailable.
const gone = new Redis(1, { maxRetriesPerRequest: 0, retryStrategy: () => 50 })
gone.on('error', () => {})
await side(
  'a store that fails',
  ratelimit({ ...oldMinute, db: gone }),
  rateLimit({ ...minute, store: redisStore(gone) }),
  (ask) => statuses(ask, 2),
  [500, 500],
  [200, 429],
)
gone.disconnect()

/** Sends the same requests to an application with each of the two limiters. */
async function side(what, theirs, ours, look, theirResult, ourResult) {
  assert.deepEqual(
    await visit(appWith(theirs).callback(), look),
    theirResult,
    `${what}, koa-ratelimit`,
  )
  assert.deepEqual(await visit(appWith(ours).callback(), look), ourResult, `${what}, Sluice`)
}

function appWith(limiter) {
  const app = new Koa({ proxy: true, maxIpsCount: 1 })
  app.silent = true
  app.use(limiter)
  app.use((ctx) => {
    ctx.body = 'Hello.'
  })
  return app
}
