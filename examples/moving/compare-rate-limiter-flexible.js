// Checks what the page says: which responses of the two libraries are the same, and which differ.
import assert from 'node:assert/strict'
import process from 'node:process'
import {
  createLimiter,
  fixedWindow,
  leakyQueue,
  redisStore,
  staged,
  tokenBucket,
} from '@sluice/core'
import { Redis } from 'ioredis'
import {
  BurstyRateLimiter,
  RateLimiterMemory,
  RateLimiterQueue,
  RateLimiterRedis,
  RateLimiterUnion,
} from 'rate-limiter-flexible'
import { compares, limitHeaders, statuses, visit } from './check/visit.js'
import { app as after } from './rate-limiter-flexible/after.js'
import { app as before } from './rate-limiter-flexible/before.js'
import { app as besideHttp, compared as comparedHttp } from './rate-limiter-flexible/beside-http.js'
import { compared, consume } from './rate-limiter-flexible/beside.js'

// The same requests get the same statuses.
const seen = []
for (const app of [before, after]) {
  await visit(app, async (ask) => {
    const logIn = (password) => [`/login?name=ada&password=${password}`, { method: 'POST' }]
    seen.push([
      ...(await statuses(ask, 1, ...logIn('wrong'))),
      ...(await statuses(ask, 1, ...logIn('right'))),
      ...(await statuses(ask, 4, ...logIn('wrong'))),
      ...(await statuses(ask, 1, ...logIn('right'))),
      ...(await statuses(ask, 1, '/search')),
      ...(await statuses(ask, 1, '/nothing')),
      ...(await statuses(ask, 2, '/search')),
    ])
    const { headers } = await ask()
    assert.deepEqual(Object.keys(limitHeaders({ headers })), ['retry-after'])
  })
}
const [asBefore, asAfter] = seen
assert.deepEqual(asBefore, [401, 200, 401, 401, 401, 429, 429, 200, 404, 429, 429])
assert.deepEqual(asAfter, asBefore)

// Both limiters together, without HTTP and with it.
const results = []
for (let i = 0; i < 12; i++) {
  results.push(
    await consume('ada').then(
      () => 'done',
      ({ msBeforeNext }) => msBeforeNext > 0,
    ),
  )
}
assert.deepEqual(results, [...Array(10).fill('done'), true, true])
assert.deepEqual(compared, { same: 12, stricter: 0, looser: 0 })

await visit(besideHttp, async (ask) => {
  assert.deepEqual(limitHeaders(await ask()), {})
  assert.deepEqual(await statuses(ask, 2, '/health'), [404, 404])
  assert.deepEqual(await statuses(ask, 11), [...Array(9).fill(404), 429, 429])
})
assert.deepEqual(await compares(comparedHttp, 12), { same: 12, stricter: 0, looser: 0 })

const { now } = Date
let ahead = 0
Date.now = () => now() + ahead
const clock = () => Date.now()
const limiterOf = (policies, options = {}) =>
  createLimiter({ name: 'test', policies, clock, ...options })

// rate-limiter-flexible counts denied requests, so that after a request that is too large it denies smaller ones.
const ten = { points: 10, duration: 60 }
const tenOurs = { limit: 10, window: '1m' }
{
  const theirs = new RateLimiterMemory(ten)
  assert.deepEqual(await asks(theirs, [9, 2, 1]), [true, false, false])
  const ours = limiterOf(fixedWindow(tenOurs))
  assert.deepEqual(await asksOurs(ours, [9, 2, 1]), [true, false, true])
}

// After a block, rate-limiter-flexible starts a new window. In Sluice the window continues.
{
  const theirs = new RateLimiterMemory({ ...ten, points: 1, blockDuration: 10 })
  const block = { for: '10s', on: 'exceeded' }
  const ours = limiterOf(fixedWindow({ limit: 1, window: '1m', block }))
  assert.deepEqual(await asks(theirs, [1, 1]), [true, false])
  assert.deepEqual(await asksOurs(ours, [1, 1]), [true, false])
  ahead += 10_000
  assert.deepEqual(await asks(theirs, [1]), [true])
  assert.deepEqual(await asksOurs(ours, [1]), [false])
}

// A cost above the limit: rate-limiter-flexible counts it and starts a block. Sluice does not count it, and starts a block with `on: 'exceeded'`.
{
  const theirs = new RateLimiterMemory({ ...ten, blockDuration: 600 })
  assert.deepEqual(await asks(theirs, [11, 1]), [false, false])
  const block = { for: '10m', on: 'exceeded' }
  const ours = limiterOf(fixedWindow({ ...tenOurs, block }))
  assert.deepEqual(await asksOurs(ours, [11, 1]), [false, false])
  const withoutBlock = limiterOf(fixedWindow(tenOurs))
  assert.deepEqual(await asksOurs(withoutBlock, [11, 1]), [false, true])
  assert.equal((await withoutBlock.consume('ann', { cost: 11 })).retryAfterMs, null)
}

// A burst limiter is two limiters in Sluice. A token bucket keeps only unused tokens, and stages restart.
{
  const [second, tenSeconds] = [
    { points: 2, duration: 1 },
    { points: 5, duration: 10, keyPrefix: 'burst' },
  ]
  const theirs = new BurstyRateLimiter(
    new RateLimiterMemory(second),
    new RateLimiterMemory(tenSeconds),
  )
  const [free, then] = [
    fixedWindow({ limit: 2, window: '1s' }),
    fixedWindow({ limit: 5, window: '10s' }),
  ]
  const rate = limiterOf(free)
  const burst = limiterOf(then)
  const both = {
    consume: async (key, options) => {
      const decision = await rate.consume(key, options)
      return decision.allowed ? decision : burst.consume(key, options)
    },
  }
  const bucket = limiterOf(tokenBucket({ capacity: 7, refill: 2, every: '1s' }))
  const stages = limiterOf(staged({ free, then }))
  const admitted = []
  for (let at = 0; at <= 10; at++) {
    const eight = Array(8).fill(1)
    const answers = [
      await asks(theirs, eight),
      await asksOurs(both, eight),
      await asksOurs(bucket, eight),
      await asksOurs(stages, eight),
    ]
    admitted.push(answers.map((each) => each.filter(Boolean).length))
    ahead += 1000
  }
  assert.deepEqual(admitted[0], [7, 7, 7, 6])
  assert.deepEqual(admitted[1], [2, 2, 2, 6])
  assert.deepEqual(admitted[10], [7, 7, 2, 6])
}

// A reward of rate-limiter-flexible exceeds the quota.
{
  const theirs = new RateLimiterMemory(ten)
  assert.equal((await theirs.reward('ada', 5)).consumedPoints, -5)
  assert.deepEqual(await asks(theirs, Array(15).fill(1)), Array(15).fill(true))
  const ours = limiterOf(fixedWindow(tenOurs))
  await ours.refund('ada', 5)
  assert.equal((await ours.peek('ada')).remaining, 10)
}

// get, penalty, block and delete; status, penalize, block and reset.
{
  const theirs = new RateLimiterMemory(ten)
  const ours = limiterOf(fixedWindow(tenOurs))
  assert.equal(await theirs.get('ada'), null)
  await theirs.penalty('ada', 4)
  await ours.penalize('ada', 4)
  const { consumedPoints, remainingPoints } = await theirs.get('ada')
  const { used, remaining } = (await ours.status('ada')).policies.default
  assert.deepEqual([consumedPoints, remainingPoints], [4, 6])
  assert.deepEqual([used, remaining], [4, 6])
  await theirs.block('ada', 30)
  await ours.block('ada', '30s')
  assert.deepEqual(await asks(theirs, [1]), [false])
  assert.deepEqual(await asksOurs(ours, [1]), [false])
  assert.equal(await theirs.delete('ada'), true)
  assert.equal(await ours.reset('ada'), false)
  assert.equal(await ours.reset('ada', { unblock: true }), true)
  assert.deepEqual(await asks(theirs, [10, 1]), [true, false])
  assert.deepEqual(await asksOurs(ours, [10, 1]), [true, false])
}

// Several limits: a union counts in each. In Sluice, a request that one policy denies uses nothing of the others.
{
  const minute = new RateLimiterMemory({ ...ten, keyPrefix: 'minute' })
  const short = new RateLimiterMemory({ keyPrefix: 'short', points: 1, duration: 10 })
  const union = new RateLimiterUnion(minute, short)
  assert.deepEqual(await asks(union, [1, 1]), [true, false])
  assert.equal((await minute.get('ada')).consumedPoints, 2)
  const policies = {
    minute: fixedWindow({ ...tenOurs, limit: 5 }),
    short: fixedWindow({ limit: 1, window: '10s' }),
  }
  const ours = limiterOf(policies)
  assert.deepEqual(await asksOurs(ours, [1, 1]), [true, false])
  assert.equal((await ours.status('ada')).policies.minute.used, 1)
}

// A missing key.
await new RateLimiterMemory(ten).consume(undefined)
assert.throws(() => limiterOf(fixedWindow(tenOurs)).consume(undefined), {
  code: 'SLUICE_KEY_INVALID',
})
// Half a point.
await new RateLimiterMemory(ten).consume('ada', 0.5)
assert.throws(() => limiterOf(fixedWindow(tenOurs)).consume('ada', { cost: 0.5 }), {
  code: 'SLUICE_COST_INVALID',
})
Date.now = now

// Waiting: a queue in rate-limiter-flexible, acquire in Sluice.
{
  const queue = new RateLimiterQueue(new RateLimiterMemory({ points: 1, duration: 0.1 }))
  const ours = createLimiter({
    name: 'queue',
    policies: fixedWindow({ limit: 1, window: '100ms' }),
  })
  for (const take of [() => queue.removeTokens(1, 'ada'), () => ours.acquire('ada')]) {
    const started = performance.now()
    await Promise.all([take(), take()])
    assert.ok(performance.now() - started >= 95)
  }
}

// An even pace: rate-limiter-flexible delays its promise. In Sluice, a decision has `delayMs`, and acquire waits.
{
  const still = Date.now()
  const policies = leakyQueue({ leak: 1, every: '50ms', maxDelay: '1s' })
  const ours = createLimiter({ name: 'evenly', policies, clock: () => still })
  const decisions = [await ours.consume('ada'), await ours.consume('ada')]
  assert.deepEqual(
    decisions.map(({ delayMs }) => delayMs),
    [0, 50],
  )
  const theirs = new RateLimiterMemory({ points: 2, duration: 0.1, execEvenly: true })
  const waiting = createLimiter({ name: 'waiting', policies })
  for (const take of [() => theirs.consume('ada'), () => waiting.acquire('ada')]) {
    const started = performance.now()
    await Promise.all([take(), take()])
    assert.ok(performance.now() - started >= 45)
  }
}

// In Redis, a window below a second never expires in rate-limiter-flexible.
const redis = new Redis(process.env.REDIS_URL)
await new RateLimiterRedis({ storeClient: redis, points: 1, duration: 0.5 }).consume('ada')
assert.equal(await redis.pttl('rlflx:ada'), -1)
const half = fixedWindow({ limit: 1, window: '500ms' })
const inRedis = createLimiter({
  name: 'half',
  policies: half,
  store: redisStore(redis, { timeout: '5s' }),
})
assert.deepEqual(await asksOurs(inRedis, [1]), [true])
const keys = await redis.keys('*half*')
assert.equal(keys.length, 1)
assert.ok((await redis.pttl(keys[0])) > 0)

// A key that Redis denied is then denied in the process: an option in rate-limiter-flexible, the default in Sluice.
{
  const theirs = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: 'denied',
    points: 1,
    duration: 60,
    inMemoryBlockOnConsumed: 2,
  })
  assert.deepEqual(await asks(theirs, [1, 1, 1]), [true, false, false])
  assert.equal((await theirs.get('ada')).consumedPoints, 2)
  const policies = fixedWindow({ limit: 1, window: '1m' })
  const ours = createLimiter({
    name: 'denied',
    policies,
    store: redisStore(redis, { timeout: '5s' }),
  })
  const sources = []
  for (let i = 0; i < 3; i++) sources.push((await ours.consume('ada')).source)
  assert.deepEqual(sources, ['store', 'store', 'local'])
}
await redis.quit()

// Redis is unavailable: rate-limiter-flexible rejects with an error, unless it has an insurance limiter.
const gone = new Redis(1, { maxRetriesPerRequest: 0, retryStrategy: () => 50 })
gone.on('error', () => {})
const insured = { storeClient: gone, ...ten, insuranceLimiter: new RateLimiterMemory(ten) }
await assert.rejects(new RateLimiterRedis({ storeClient: gone, ...ten }).consume('ada'), Error)
assert.equal((await new RateLimiterRedis(insured).consume('ada')).remainingPoints, 9)
const fallback = createLimiter({
  name: 'gone',
  policies: fixedWindow(tenOurs),
  store: redisStore(gone),
})
const { remaining, source } = await fallback.consume('ada')
assert.deepEqual({ remaining, source }, { remaining: 9, source: 'fallback' })
gone.disconnect()

/** Whether each of these costs is allowed. */
async function asks(limiter, costs) {
  const allowed = []
  for (const cost of costs) {
    allowed.push(
      await limiter.consume('ada', cost).then(
        () => true,
        () => false,
      ),
    )
  }
  return allowed
}

async function asksOurs(limiter, costs) {
  const allowed = []
  for (const cost of costs) allowed.push((await limiter.consume('ada', { cost })).allowed)
  return allowed
}
