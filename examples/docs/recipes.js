// @ts-nocheck -- the requests have accounts
// Short answers to frequent questions, on Express.
import assert from 'node:assert/strict'
// #region basic
import { createHash, timingSafeEqual } from 'node:crypto'
// #endregion
import { setTimeout as sleep } from 'node:timers/promises'
// #region basic
import { createDashboard } from '@sluice/dashboard'
// #endregion
import { byIp, fixedWindow, rateLimit, slidingWindow } from '@sluice/express'
import express from 'express'
import { statuses, visit } from './check/visit.js'

const ok = (_request, response) => void response.send('Hello.\n')

function exposed() {
  const app = express()
  // #region cors
  app.use((req, res, next) => {
    res.set('Access-Control-Allow-Origin', 'https://app.example')
    res.set('Access-Control-Expose-Headers', 'RateLimit, RateLimit-Policy, Retry-After')
    next()
  })
  app.use(rateLimit({ limit: 100, window: '1m', skip: (req) => req.method === 'OPTIONS' }))
  // #endregion
  return app.use(ok)
}
await visit(exposed(), async (ask) => {
  for (let i = 0; i < 100; i++) await ask('/')
  const denied = await ask('/')
  assert.equal(denied.status, 429)
  assert.match(denied.headers.get('Access-Control-Expose-Headers'), /Retry-After/)
  assert.equal((await ask('/', { method: 'OPTIONS' })).status, 200)
})

function scanners() {
  const app = express()
  // #region scanners
  app.use(
    rateLimit({
      name: 'scanners',
      policies: fixedWindow({ limit: 10, window: '10m', block: { for: '1d' } }),
      count: { when: ({ status }) => status === 404, reserve: false },
    }),
  )
  // #endregion
  return app.get('/file', ok)
}
await visit(scanners(), async (ask) => {
  const files = Array.from({ length: 30 }, () => ask('/file').then(({ status }) => status))
  assert.deepEqual(new Set(await Promise.all(files)), new Set([200]))
  assert.deepEqual(await statuses(ask, 11, '/guessed'), [...Array(10).fill(404), 429])
  assert.equal((await ask('/file')).status, 429)
})

function guessedKeys() {
  const accounts = new Map([['key-1', { id: 'ada' }]])
  const app = express()
  // #region api-keys
  // In front of the check of the key: 20 wrong keys an hour from one address.
  app.use(
    rateLimit({
      name: 'wrong keys',
      policies: slidingWindow({ limit: 20, window: '1h' }),
      key: byIp(),
      count: { when: ({ status }) => status === 401, reserve: false },
    }),
  )
  app.use((req, res, next) => {
    req.account = accounts.get(req.get('X-API-Key'))
    if (req.account !== undefined) return next()
    res.status(401).json({ error: 'The API key is missing or unknown.' })
  })
  // Behind it: the limit of each account.
  app.use(
    rateLimit({ name: 'api', limit: 100, window: '1m', key: (req) => ['account', req.account.id] }),
  )
  // #endregion
  return app.use(ok)
}
await visit(guessedKeys(), async (ask) => {
  const known = { headers: { 'X-API-Key': 'key-1' } }
  assert.deepEqual(new Set(await statuses(ask, 30, '/', known)), new Set([200]))
  const guesses = await statuses(ask, 22)
  assert.deepEqual(guesses, [...Array(20).fill(401), 429, 429])
  assert.equal((await ask('/', known)).status, 429)
})

function slowDown() {
  const app = express()
  // #region slow-down
  const slow = rateLimit({
    name: 'slow down',
    policies: fixedWindow({ limit: 3, window: '1m' }),
    async onDenied(req, res, next) {
      try {
        const key = await slow.keyOf(req)
        await slow.limiter.penalize(key, 1) // a denied request takes no unit: this one does
        const { used, limit } = (await slow.limiter.status(key)).policies.default
        await sleep(Math.min(500, 100 * (used - limit)))
        next()
      } catch (error) {
        next(error)
      }
    },
  })
  app.use(slow)
  // #endregion
  return app.use(ok)
}
await visit(slowDown(), async (ask) => {
  const waits = []
  for (let i = 0; i < 6; i++) {
    const began = performance.now()
    assert.equal((await ask('/')).status, 200)
    waits.push(performance.now() - began)
  }
  for (const [i, least] of [0, 0, 0, 95, 195, 295].entries())
    assert.ok(waits[i] >= least, `${waits}`)
})

function beginsAgain() {
  const app = express()
  // #region begins-again
  const patient = rateLimit({
    name: 'patient',
    policies: fixedWindow({ limit: 2, window: '1s' }),
    async onDenied(req, res, next) {
      try {
        await patient.limiter.block(await patient.keyOf(req), '1s')
        res.status(429).set('Retry-After', '1').send('Wait a second.\n')
      } catch (error) {
        next(error)
      }
    },
  })
  app.use(patient)
  // #endregion
  return app.use(ok)
}
await visit(beginsAgain(), async (ask) => {
  const seen = []
  for (let i = 0; i < 8; i++) {
    seen.push((await ask('/')).status)
    await sleep(250)
  }
  assert.deepEqual(seen, [200, 200, 429, 429, 429, 429, 429, 429])
  await sleep(1000)
  assert.equal((await ask('/')).status, 200)
})

function together() {
  const app = express()
  // #region together
  app.use(rateLimit({ name: 'whole api', limit: 5, window: '1m', key: 'everyone' }))
  // #endregion
  return app.use(ok)
}
await visit(together(), async (ask) => {
  assert.deepEqual(await statuses(ask, 6), [...Array(5).fill(200), 429])
})

function languageModel() {
  const app = express().use(express.json())
  async function* complete({ asked, fails = false }, { signal }) {
    for (let tokens = 0; tokens < asked && !signal.aborted; tokens += 100) {
      yield { text: 'Hello. ', tokens: 100 }
    }
    if (fails) throw new Error('overloaded')
  }
  // #region tokens
  const tokens = rateLimit({
    name: 'tokens',
    limit: 10_000,
    window: '1d',
    key: (req) => ['account', req.get('X-Account')],
    cost: 2000, // an estimate
  })

  app.post('/complete', tokens, async (req, res) => {
    const gone = new AbortController()
    res.on('close', () => gone.abort())
    let used = 0
    try {
      for await (const part of complete(req.body, { signal: gone.signal })) {
        used += part.tokens
        res.write(part.text)
      }
    } finally {
      await tokens.limiter.adjust(req.rateLimit, used)
      res.end()
    }
  })
  // #endregion
  app.use((_error, _req, res, _next) => res.destroyed || res.end())
  return [app, tokens.limiter]
}
const [app, tokens] = languageModel()
await visit(app, async (ask) => {
  const headers = { 'X-Account': 'ada', 'Content-Type': 'application/json' }
  const left = async (body) => {
    const { status } = await ask('/complete', {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    if (status === 429) return 'denied'
    return (await tokens.status(['account', 'ada'])).policies.default.remaining
  }
  assert.deepEqual(
    [
      await left({ asked: 700 }),
      await left({ asked: 2500 }),
      await left({ asked: 0 }),
      await left({ asked: 300, fails: true }),
      await left({ asked: 9000 }),
      await left({ asked: 1 }),
    ],
    [9300, 6800, 6800, 6500, 0, 'denied'],
  )
})

async function basic() {
  process.env.DASHBOARD_PASSWORD = 'change me'
  const app = express()
  const limit = rateLimit({ limit: 100, window: '1m' })
  // #region basic

  const hash = (text) => createHash('sha256').update(text).digest()
  const { DASHBOARD_PASSWORD: password } = process.env
  if (!password) throw new Error('Set DASHBOARD_PASSWORD.')
  const expected = hash(`admin:${password}`)

  // In front of the password: 10 wrong ones an hour from one address.
  const guesses = rateLimit({
    name: 'dashboard',
    limit: 10,
    window: '1h',
    count: { when: ({ status }) => status === 401, reserve: false },
  })

  const dashboard = createDashboard({
    limiters: { api: limit.limiter },
    authorize({ headers }) {
      const [scheme, credentials = ''] = (headers.authorization ?? '').split(' ')
      const given = hash(Buffer.from(credentials, 'base64'))
      // The comparison of hashes takes the same time for all passwords.
      const isRight = scheme.toLowerCase() === 'basic' && timingSafeEqual(given, expected)
      return isRight ? { role: 'write', name: 'admin' } : { challenge: 'Basic realm="limits"' }
    },
  })
  app.use('/limits', guesses, dashboard.handler)
  // #endregion
  return { app, dashboard }
}
const { app: behindPassword, dashboard } = await basic()
await visit(behindPassword, async (ask) => {
  const withPassword = (password) => ({
    headers: { authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}` },
  })
  const first = await ask('/limits/')
  assert.equal(first.status, 401)
  assert.equal(first.headers.get('WWW-Authenticate'), 'Basic realm="limits"')
  assert.deepEqual(
    await statuses(ask, 20, '/limits/', withPassword('change me')),
    Array(20).fill(200),
  )
  assert.equal((await ask('/limits/api/view', withPassword('change me'))).status, 200)
  assert.deepEqual(await statuses(ask, 10, '/limits/', withPassword('guess')), [
    ...Array(9).fill(401),
    429,
  ])
})
await dashboard.close()
