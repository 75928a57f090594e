// What the page on testing says: it is a test file itself. node --test testing.js
// #region app
import { fixedWindow, memoryStore, rateLimit } from '@sluice/express'
import express from 'express'

/**
 * The application. What a test wants otherwise, it passes.
 *
 * @param {{ clock?: () => number, store?: import('@sluice/express').Store }} settings
 */
export function createApp(settings = {}) {
  const app = express()
  const policy = fixedWindow({ limit: 3, window: '1h' })
  app.use(rateLimit({ policy, store: memoryStore(), ...settings }))
  app.get('/', (_request, response) => response.send('Hello.\n'))
  return app
}
// #endregion
// #region test
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'

test('a client that was denied is let in again after an hour', async (t) => {
  let now = Date.UTC(2030, 0, 1)
  const server = createApp({ clock: () => now }).listen(0)
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = Object(server.address())
  const get = () => fetch(`http://127.0.0.1:${port}/`)

  for (let i = 0; i < 3; i++) assert.equal((await get()).status, 200)
  const denied = await get()
  assert.equal(denied.status, 429)
  assert.equal(denied.headers.get('Retry-After'), '3600')

  now += 3_600_000
  assert.equal((await get()).status, 200)
})
// #endregion
// #region logic
import { createLimiter, tokenBucket } from '@sluice/core'

test('a bucket refills by one token a second', async () => {
  let now = 0
  const policies = tokenBucket({ capacity: 2, refill: 1, every: '1s' })
  const limiter = createLimiter({ name: 'test', policies, clock: () => now })

  assert.equal((await limiter.consume('ada', { cost: 2 })).allowed, true)
  assert.equal((await limiter.consume('ada')).retryAfterMs, 1000)
  now = 999
  assert.equal((await limiter.consume('ada')).allowed, false)
  now = 1000
  assert.equal((await limiter.consume('ada')).allowed, true)
})
// #endregion
// #region away
import { redisStore } from '@sluice/core'

/** A client of a Redis that is not there. */
const gone = {
  isCluster: false,
  evalSha: async () => Promise.reject(new Error('nobody listens')),
  eval: async () => Promise.reject(new Error('nobody listens')),
}

test('while Redis is away, each process decides by itself', async () => {
  const policies = fixedWindow({ limit: 1, window: '1h' })
  const limiter = createLimiter({ name: 'test', policies, store: redisStore(gone) })

  const first = await limiter.consume('ada')
  assert.deepEqual([first.allowed, first.source], [true, 'fallback'])
  assert.equal((await limiter.consume('ada')).allowed, false)
})
// #endregion
