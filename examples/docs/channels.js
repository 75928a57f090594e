// @ts-nocheck -- events of a channel have no type
// Events of the channels without a package.
import assert from 'node:assert/strict'
import { createLimiter, slidingWindow } from '@sluice/core'

const lines = []
const console = { log: (...values) => lines.push(values.join(' ')) }

// #region denials
import { subscribe } from 'node:diagnostics_channel'

subscribe('sluice:denial', ({ limiter, decision, request }) => {
  console.log(request?.url, limiter, decision.deniedBy, decision.retryAfterMs)
})
// #endregion

const policies = slidingWindow({ limit: 1, window: '1m' })
const limiter = createLimiter({ name: 'api', policies })
for (let i = 0; i < 2; i++) limiter.consume('ada', { request: { url: '/search' } })
assert.equal(lines.length, 1)
assert.match(lines[0], /^\/search api default \d+$/)
