// @ts-nocheck -- the address of a server may be a pipe
// A test of an application with a limit: node --test testing.js
// #region app
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { fixedWindow, memoryStore, rateLimit } from '@sluice/express'
import { testClock } from '@sluice/testing'
import express from 'express'

function createApp(settings = {}) {
  const app = express()
  const policy = fixedWindow({ limit: 3, window: '1h' })
  app.use(rateLimit({ policies: policy, store: memoryStore(), ...settings }))
  app.get('/', (req, res) => res.send('Hello.\n'))
  return app
}

test('a denied client is allowed again after an hour', async (t) => {
  const clock = testClock()
  const server = createApp({ clock }).listen(0)
  t.after(() => server.close())
  await once(server, 'listening')
  const get = () => fetch(`http://127.0.0.1:${server.address().port}/`)

  for (let i = 0; i < 3; i++) assert.equal((await get()).status, 200)
  const denied = await get()
  assert.equal(denied.status, 429)
  assert.equal(denied.headers.get('Retry-After'), '3600')

  clock.advance('1h')
  assert.equal((await get()).status, 200)
})
// #endregion
