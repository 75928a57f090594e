// A limit that changes while the server runs, on Express.
import assert from 'node:assert/strict'
// #region run-time
import { rateLimit } from '@sluice/express'

const settings = { perMinute: 100 }
const limit = rateLimit({ limit: () => settings.perMinute, window: '1m' })

// Later, for example when the configuration is read again:
settings.perMinute = 50
// #endregion
settings.perMinute = 100
import { concurrency, createLimiter, fixedWindow, gcra, slidingWindow } from '@sluice/core'
import express from 'express'
import { statuses, visit } from './check/visit.js'

const app = express().use(limit, (_request, response) => void response.send('Hello.\n'))
await visit(app, async (ask) => {
  await statuses(ask, 60)
  const left = async () => (await ask()).headers.get('RateLimit')
  settings.perMinute = 80
  assert.match((await left()) ?? '', /;r=19;/)
  settings.perMinute = 50
  assert.match((await left()) ?? '', /;r=0;/)
  settings.perMinute = 100
  assert.match((await left()) ?? '', /;r=38;/)
})

// The table of the page.
let now = Date.UTC(2030, 0, 1)
const clock = () => now
const remainingAfter = async (before, after, used = 50) => {
  const limiter = createLimiter({ name: 'changed', policies: before, clock })
  await limiter.consume('key', { cost: used })
  return (await limiter.peek('key', { policies: after })).remaining
}
const window = '1m'
assert.equal(await remainingAfter(gcra({ limit: 100, window }), gcra({ limit: 200, window })), 100)
assert.equal(
  await remainingAfter(
    concurrency({ limit: 100, lease: '1m' }),
    concurrency({ limit: 60, lease: '1m' }),
  ),
  10,
)
assert.equal(
  await remainingAfter(slidingWindow({ limit: 100, window }), gcra({ limit: 100, window })),
  100,
)
const short = fixedWindow({ limit: 100, window })
const long = fixedWindow({ limit: 100, window: '1h' })
const lengthened = createLimiter({ name: 'lengthened', policies: short, clock })
await lengthened.consume('key', { cost: 50 })
now += 59_000
assert.equal((await lengthened.consume('key', { policies: long })).remaining, 49)
now += 59_000
assert.equal((await lengthened.peek('key', { policies: long })).remaining, 49)

const blocked = createLimiter({ name: 'blocked', policies: short, clock })
await blocked.block('key', '10m')
assert.equal(
  (await blocked.consume('key', { policies: fixedWindow({ limit: 500, window }) })).allowed,
  false,
)
