// Checks what the page says: which responses of the two libraries are the same, and which differ.
import assert from 'node:assert/strict'
import { mock } from 'node:test'
import rateLimit from '@fastify/rate-limit'
import { fixedWindow, memoryStore, rateLimit as sluice, redisStore } from '@sluice/fastify'
import fastify from 'fastify'
import { compares, limitHeaders, statuses, visit } from './check/visit.js'
import { app as after } from './rate-limit/after.js'
import { app as before } from './rate-limit/before.js'
import { app as beside, compared } from './rate-limit/beside.js'

const logIn = (name, password) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ name, password }),
})

// The same requests get the same statuses.
const seen = []
for (const app of [before, after]) {
  await ask(app, async (ask) => {
    seen.push([
      ...(await statuses(ask, 2)),
      ...(await statuses(ask, 4, '/login', logIn('ada', 'wrong'))),
      ...(await statuses(ask, 1, '/login', logIn('bob', 'right'))),
      ...(await statuses(ask, 10)),
      ...(await statuses(ask, 2, '/health')),
    ])
  })
}
const [asBefore, asAfter] = seen
const expected = [200, 200, 401, 401, 401, 429, 200, ...Array(8).fill(200), 429, 429, 200, 200]
assert.deepEqual(asBefore, expected)
assert.deepEqual(asAfter, asBefore)

// Both limiters together: the old one responds and writes its headers, and both decide alike.
await ask(beside, async (ask) => {
  assert.deepEqual(limitHeaders(await ask()), {
    'x-ratelimit-limit': '10',
    'x-ratelimit-remaining': '9',
    'x-ratelimit-reset': '60',
  })
  assert.deepEqual(await statuses(ask, 11), [...Array(9).fill(200), 429, 429])
  assert.deepEqual(await statuses(ask, 4, '/login', { method: 'POST' }), [401, 401, 401, 429])
  assert.deepEqual(await statuses(ask, 2, '/health'), [200, 200])
})
assert.deepEqual(await compares(compared, 16), { same: 16, stricter: 0, looser: 0 })

await side(
  'requests without a route',
  { max: 1 },
  { limit: 1, window: '1m' },
  (ask) => statuses(ask, 2, '/nowhere'),
  [404, 404],
  [404, 429],
)

const accepted = async (ask) => {
  const { status, headers } = await ask('/', { headers: { Accept: 'text/plain' } })
  return [status, headers.get('Content-Type')]
}
await side(
  'the body of a 429',
  { max: 0 },
  { limit: 0, window: '1m' },
  accepted,
  [429, 'application/json; charset=utf-8'],
  [429, 'text/plain; charset=utf-8'],
)

const withErrorHandler = (app) =>
  app.setErrorHandler((error, _request, reply) => reply.code(error.statusCode).send('handled'))
const text = async (ask) => (await ask()).text()
await side(
  'the error handler of the application',
  { max: 0 },
  { limit: 0, window: '1m', body: 'not handled' },
  text,
  'handled',
  'not handled',
  withErrorHandler,
)
await side(
  'the error handler, if onDenied throws',
  { max: 0 },
  {
    limit: 0,
    window: '1m',
    onDenied() {
      throw Object.assign(new Error('Too many requests'), { statusCode: 429 })
    },
  },
  text,
  'handled',
  'handled',
  withErrorHandler,
)

const firstHeaders = async (ask) => limitHeaders(await ask())
const legacy = { 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '4', 'x-ratelimit-reset': '60' }
await side(
  'the default headers',
  { max: 5 },
  { limit: 5, window: '1m', headers: 'legacy', algorithm: fixedWindow },
  firstHeaders,
  legacy,
  legacy,
)
const draft6 = { 'ratelimit-limit': '5', 'ratelimit-remaining': '4', 'ratelimit-reset': '60' }
await side(
  'the headers of the draft',
  { max: 5, enableDraftSpec: true },
  { limit: 5, window: '1m', headers: 'draft-6', algorithm: fixedWindow },
  firstHeaders,
  draft6,
  { ...draft6, 'ratelimit-policy': '5;w=60' },
)

await side(
  'a ban',
  { max: 1, ban: 2 },
  { limit: 1, window: '1m' },
  (ask) => statuses(ask, 5),
  [200, 429, 429, 403, 403],
  [200, 429, 429, 429, 429],
)

const from = (ask) => async (address) =>
  (await ask('/', { headers: { 'X-Forwarded-For': address } })).status
await side(
  'a denied client, after requests from more addresses than the cache holds',
  { max: 2, cache: 2 },
  { limit: 2, window: '1m', store: memoryStore({ maxKeys: 2 }) },
  async (ask) => {
    const one = from(ask)
    const first = [await one('192.0.2.1'), await one('192.0.2.1'), await one('192.0.2.1')]
    for (let i = 2; i < 12; i++) await one(`192.0.2.${i}`)
    return [...first, await one('192.0.2.1')]
  },
  [200, 200, 429, 200],
  [200, 200, 429, 429],
)

const unavailable = async () => {
  throw new Error('Redis is unavailable.')
}
class Broken {
  incr(_key, callback) {
    callback(new Error('Redis is unavailable.'))
  }
  child() {
    return this
  }
}
const brokenOurs = redisStore({ isCluster: false, evalSha: unavailable, eval: unavailable })
await side(
  'a store that fails',
  { max: 1, store: Broken },
  { limit: 1, window: '1m', store: brokenOurs },
  (ask) => statuses(ask, 2),
  [500, 500],
  [200, 429],
)
await side(
  'a store that fails, and a limiter that then allows',
  { max: 1, store: Broken, skipOnError: true },
  { limit: 1, window: '1m', store: brokenOurs, name: 'passed', onStoreError: 'allow' },
  (ask) => statuses(ask, 2),
  [200, 200],
  [200, 200],
)

// The boundary of two windows: one request starts the first window, four arrive at its end, and five at the start of the second. By then,
// only the very first request has left a sliding window.
mock.timers.enable({ apis: ['Date'], now: Date.UTC(2030, 0, 1) })
const clock = () => Date.now()
for (const [plugin, options, last] of [
  [rateLimit, { max: 5, timeWindow: 60_000 }, Array(5).fill(200)],
  [sluice, { limit: 5, window: '1m', algorithm: fixedWindow, clock }, Array(5).fill(200)],
  [sluice, { limit: 5, window: '1m', clock }, [200, 429, 429, 429, 429]],
]) {
  mock.timers.setTime(Date.now() + 3_600_000)
  await ask(await made(plugin, options), async (ask) => {
    assert.deepEqual(await statuses(ask, 1), [200])
    mock.timers.tick(59_900)
    assert.deepEqual(await statuses(ask, 4), Array(4).fill(200))
    mock.timers.tick(100)
    assert.deepEqual(await statuses(ask, 5), last)
  })
}

// Denied requests extend a backoff of @fastify/rate-limit, but no block of Sluice.
for (const [plugin, options, waits] of [
  [rateLimit, { max: 1, timeWindow: 10_000, exponentialBackoff: true }, ['10', '20', '40']],
  [sluice, { policies: strikes(), clock }, ['10', '10', '10']],
]) {
  await ask(await made(plugin, options), async (ask) => {
    await ask()
    const seen = []
    for (let i = 0; i < 3; i++) seen.push((await ask()).headers.get('Retry-After'))
    assert.deepEqual(seen, waits)
    mock.timers.tick(10_000)
    assert.equal((await ask()).status, 200)
    // The second block is twice as long.
    const again = (await ask()).headers.get('Retry-After')
    assert.equal(again, plugin === sluice ? '20' : '10')
  })
}

// Routes that share a handler count together.
for (const [plugin, status] of [
  [rateLimit, 200],
  [sluice, 429],
]) {
  const app = fastify()
  const window = plugin === sluice ? { limit: 1, window: '1m' } : { max: 1, timeWindow: '1m' }
  await app.register(plugin, { ...window, global: false })
  const config = { rateLimit: { ...window, groupId: 'search' } }
  const route = plugin === sluice ? { onRequest: app.sluice() } : { config }
  app.get('/people', route, async () => 'Ada.')
  app.get('/places', route, async () => 'London.')
  await ask(app, async (ask) => {
    assert.equal((await ask('/people')).status, 200)
    assert.equal((await ask('/places')).status, status)
  })
}
mock.timers.reset()

// A limit that is a string: @fastify/rate-limit replaces it by 1000, Sluice rejects it.
await ask(await made(rateLimit, { max: '3' }), async (ask) => {
  assert.equal((await ask()).headers.get('x-ratelimit-limit'), '1000')
})
await assert.rejects(made(sluice, { limit: '3', window: '1m' }), { code: 'SLUICE_OPTION_INVALID' })
await assert.rejects(made(sluice, { max: 3, timeWindow: '1m' }), { code: 'SLUICE_OPTION_RENAMED' })

// Without the other plugin, its option of a route is read, so that the route does not lose its limit.
const left = fastify()
await left.register(sluice, { limit: 5, window: '1m' })
left.get('/old', { config: { rateLimit: { max: 1 } } }, async () => 'Hello.')
await assert.rejects(left.ready(), { code: 'SLUICE_OPTION_RENAMED' })

function strikes() {
  const block = { for: '10s', on: 'exceeded', escalate: 2, max: '1h' }
  return fixedWindow({ limit: 1, window: '10s', block })
}

/** Sends the same requests to an application with each of the two limiters. */
async function side(what, theirs, ours, look, theirResult, ourResult, prepare = () => {}) {
  const theirApp = await made(rateLimit, theirs, prepare)
  const ourApp = await made(sluice, ours, prepare)
  assert.deepEqual(await ask(theirApp, look), theirResult, `${what}, @fastify/rate-limit`)
  assert.deepEqual(await ask(ourApp, look), ourResult, `${what}, Sluice`)
}

async function made(plugin, options, prepare = () => {}) {
  const app = fastify({ trustProxy: '127.0.0.1' })
  prepare(app)
  await app.register(plugin, options)
  app.get('/', async () => 'Hello.')
  return app.ready()
}

async function ask(app, go) {
  await app.ready()
  return visit(app.routing, go)
}
