// Checks what the page says: which responses of the two libraries are the same, and which differ.
import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { fixedWindow, ipKey, rateLimit as sluice, redisStore } from '@sluice/express'
import express from 'express'
import { rateLimit } from 'express-rate-limit'
import { compares, limitHeaders, statuses, visit } from './check/visit.js'
import { app as after } from './express-rate-limit/after.js'
import { app as before } from './express-rate-limit/before.js'
import { app as beside, compared } from './express-rate-limit/beside.js'

// The same requests get the same statuses.
const seen = []
for (const app of [before, after]) {
  await visit(app, async (ask) => {
    const wrong = { method: 'POST' }
    const right = { ...wrong, headers: { Authorization: 'right' } }
    seen.push([
      ...(await statuses(ask, 2)),
      ...(await statuses(ask, 2, '/login', right)),
      ...(await statuses(ask, 4, '/login', wrong)),
      ...(await statuses(ask, 1, '/login', right)),
      ...(await statuses(ask, 3)),
      ...(await statuses(ask, 2, '/health')),
    ])
  })
}
const [asBefore, asAfter] = seen
assert.deepEqual(asBefore, [
  ...Array(4).fill(200),
  401,
  401,
  401,
  429,
  429,
  200,
  429,
  429,
  200,
  200,
])
assert.deepEqual(asAfter, asBefore)

// Both limiters together: the old one responds and writes its headers, and both decide alike.
await visit(beside, async (ask) => {
  const first = await ask()
  assert.deepEqual(Object.keys(limitHeaders(first)), ['ratelimit', 'ratelimit-policy'])
  assert.match(first.headers.get('RateLimit'), /^"10-in-1min"; r=9; t=/)
  assert.deepEqual(await first.json(), { left: 9 })
  assert.deepEqual(await statuses(ask, 2, '/health'), [200, 200])
  assert.deepEqual(await statuses(ask, 11), [...Array(9).fill(200), 429, 429])
})
assert.deepEqual(await compares(compared, 12), { same: 12, stricter: 0, looser: 0 })

const denies = { windowMs: 60_000, limit: 0, validate: false }
const deniesOurs = { limit: 0, window: '1m' }

await side(
  'the body of a 429',
  rateLimit(denies),
  sluice(deniesOurs),
  async (ask) => {
    const answers = await Promise.all(
      ['*/*', 'text/plain'].map((Accept) => ask('/', { headers: { Accept } })),
    )
    return answers.map(({ headers }) => headers.get('Content-Type'))
  },
  ['text/html; charset=utf-8', 'text/html; charset=utf-8'],
  ['application/problem+json', 'text/plain; charset=utf-8'],
)

const legacy = { 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '4' }
await side(
  'the default headers',
  rateLimit({ windowMs: 60_000, limit: 5 }),
  sluice({ limit: 5, window: '1m', headers: 'legacy-epoch', algorithm: fixedWindow }),
  async (ask) => {
    const { 'x-ratelimit-reset': reset, ...others } = limitHeaders(await ask())
    return [others, Math.abs(Number(reset) - Date.now() / 1000 - 60) < 5]
  },
  [legacy, true],
  [legacy, true],
)
for (const [standardHeaders, written] of [
  [
    'draft-6',
    {
      'ratelimit-limit': '5',
      'ratelimit-policy': '5;w=60',
      'ratelimit-remaining': '4',
      'ratelimit-reset': '60',
    },
  ],
  ['draft-7', { ratelimit: 'limit=5, remaining=4, reset=60', 'ratelimit-policy': '5;w=60' }],
]) {
  await side(
    standardHeaders,
    rateLimit({ windowMs: 60_000, limit: 5, standardHeaders, legacyHeaders: false }),
    sluice({ limit: 5, window: '1m', headers: standardHeaders, algorithm: fixedWindow }),
    async (ask) => limitHeaders(await ask()),
    written,
    written,
  )
}

await side(
  'Retry-After without any other header',
  rateLimit({ ...denies, legacyHeaders: false }),
  sluice({ ...deniesOurs, headers: 'none' }),
  async (ask) => Object.keys(limitHeaders(await ask())),
  [],
  ['retry-after'],
)

await side(
  'two limiters on one route',
  [5, 9].map((limit) =>
    rateLimit({ windowMs: 60_000, limit, standardHeaders: 'draft-8', legacyHeaders: false }),
  ),
  [5, 9].map((limit) => sluice({ limit, window: '1m', algorithm: fixedWindow })),
  async (ask) => (await ask()).headers.get('RateLimit').replace(/; ?t=\d+/g, ''),
  '"5-in-1min"; r=4, "9-in-1min"; r=8',
  '"default";r=4, "default-2";r=8',
)

const behindProxy = (ask) => async (address) =>
  (await ask('/', { headers: { 'X-Forwarded-For': address } })).status
await side(
  'addresses of one /56',
  rateLimit({ windowMs: 60_000, limit: 1 }),
  sluice({ limit: 1, window: '1m' }),
  async (ask) => {
    const from = behindProxy(ask)
    return [await from('2001:db8::1'), await from('2001:db8::2'), await from('2001:db8:0:1::1')]
  },
  [200, 429, 429],
  [200, 429, 200],
)

await side(
  'a key function that returns undefined',
  rateLimit({ windowMs: 60_000, limit: 1, keyGenerator: () => undefined }),
  sluice({ limit: 1, window: '1m', key: () => undefined }),
  async (ask) => statuses(ask, 2),
  [200, 429],
  [400, 400],
)

await side(
  'a key that is a number',
  rateLimit({ windowMs: 60_000, limit: 1, keyGenerator: () => 5 }),
  sluice({ limit: 1, window: '1m', key: () => 5 }),
  async (ask) => statuses(ask, 2),
  [200, 429],
  [400, 400],
)
await side(
  'Retry-After of a limit of 0',
  rateLimit(denies),
  sluice(deniesOurs),
  async (ask) => (await ask()).headers.get('Retry-After'),
  '60',
  '1',
)

const unavailable = async () => {
  throw new Error('Redis is unavailable.')
}
const brokenStore = {
  increment: unavailable,
  decrement: unavailable,
  resetKey: unavailable,
  get: unavailable,
}
const brokenOurs = redisStore({ isCluster: false, evalSha: unavailable, eval: unavailable })
await side(
  'a store that fails',
  rateLimit({ windowMs: 60_000, limit: 1, store: brokenStore }),
  sluice({ limit: 1, window: '1m', store: brokenOurs }),
  async (ask) => statuses(ask, 2),
  [500, 500],
  [200, 429],
)
await side(
  'a store that fails, and a limiter that then allows',
  rateLimit({
    windowMs: 60_000,
    limit: 1,
    store: { ...brokenStore },
    passOnStoreError: true,
    logger: { error() {}, warn() {} },
  }),
  sluice({ limit: 1, window: '1m', store: brokenOurs, name: 'passed', onStoreError: 'allow' }),
  async (ask) => statuses(ask, 2),
  [200, 200],
  [200, 200],
)

// The boundary of two windows: one request starts the first window, four arrive at its end, and five at the start of the second. By then,
// only the very first request has left a sliding window.
mock.timers.enable({ apis: ['Date'], now: Date.UTC(2030, 0, 1) })
const clock = () => Date.now()
for (const [limiter, last] of [
  [rateLimit({ windowMs: 60_000, limit: 5 }), Array(5).fill(200)],
  [sluice({ limit: 5, window: '1m', algorithm: fixedWindow, clock }), Array(5).fill(200)],
  [sluice({ limit: 5, window: '1m', clock }), [200, 429, 429, 429, 429]],
]) {
  mock.timers.setTime(Date.now() + 3_600_000)
  await visit(appWith(limiter), async (ask) => {
    assert.deepEqual(await statuses(ask, 1), [200])
    mock.timers.tick(59_900)
    assert.deepEqual(await statuses(ask, 4), Array(4).fill(200))
    mock.timers.tick(100)
    assert.deepEqual(await statuses(ask, 5), last)
  })
}
mock.timers.reset()

// A limit that is a string: express-rate-limit accepts it, Sluice does not.
assert.doesNotThrow(() => rateLimit({ windowMs: 60_000, limit: '5' }))
assert.throws(() => sluice({ limit: '5', window: '1m' }), { code: 'SLUICE_OPTION_INVALID' })
assert.throws(() => sluice({ windowMs: 60_000, limit: 5 }), { code: 'SLUICE_OPTION_RENAMED' })

// The properties of `req.rateLimit`.
const facts = []
const tell = (req, res) => {
  facts.push(Object.keys(req.rateLimit))
  res.end()
}
await visit(express().use(rateLimit(), tell), (ask) => ask())
await visit(express().use(sluice({ limit: 5, window: '1m' }), tell), (ask) => ask())
assert.deepEqual(facts[0], ['limit', 'used', 'remaining', 'resetTime', 'key'])
for (const name of ['allowed', 'limit', 'remaining', 'retryAfterMs', 'resetMs', 'policies']) {
  assert.ok(facts[1].includes(name), name)
}

// Instead of getKey and resetKey: the limiter behind the middleware.
// #region admin
const limit = sluice({ limit: 1, window: '1m', algorithm: fixedWindow })
// #endregion
await visit(appWith(limit), async (ask) => {
  assert.deepEqual(await statuses(ask, 2), [200, 429])
  // #region admin
  const key = ipKey('127.0.0.1')
  const { used, resetMs } = (await limit.limiter.status(key)).policies.default
  await limit.limiter.reset(key)
  // #endregion
  assert.ok(used === 1 && resetMs > 59_000)
  assert.deepEqual(await statuses(ask, 1), [200])
})

/** Sends the same requests to an application with each of the two limiters. */
async function side(what, theirs, ours, look, theirResult, ourResult) {
  assert.deepEqual(await visit(appWith(theirs), look), theirResult, `${what}, express-rate-limit`)
  assert.deepEqual(await visit(appWith(ours), look), ourResult, `${what}, Sluice`)
}

function appWith(limiters) {
  const app = express().set('trust proxy', 1).set('env', 'test')
  return app.use(limiters, (_req, res) => res.end())
}
