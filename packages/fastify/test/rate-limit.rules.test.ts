import { requestRules } from '../../rules/dist/internal.js'
import type { Rules } from '@sluice/core/http'
import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { fixedWindow, rateLimit } from '../src/index.js'
import { create, serve, start, statuses } from './apps.js'

const hello = () => 'hello'
const day = fixedWindow({ limit: 2, window: '1d' })
const policies = { day }

/** Two requests a day, except for the path "/free". */
const rules: Rules<FastifyRequest> = requestRules('document', (_request, { url }) => {
  const judged = { version: 'v1', tags: [] }
  if (url === '/free') return { type: 'pass', ...judged }
  const outcome = { type: 'deny', status: 429 } as const
  const rule = { rule: 'daily', outcome, counts: 'all', resetOnSuccess: false } as const
  const consumption = { keys: 'all', policies, cost: 1, rules: new Map([['day', rule]]) }
  const parts = { enforced: [consumption], tagging: [], shadow: [] } as const
  return { type: 'ask', ...judged, applied: ['daily'], ...parts }
})

const options = { rules, clock: () => start }

test('the rules of the plugin limit all routes, except those with a limit of their own', async () => {
  const app = create()
  await app.register(rateLimit, options)
  app.get('/', ({ rateLimit }) => rateLimit?.applied)
  app.get('/free', ({ rateLimit }) => rateLimit ?? 'none')
  app.get('/own', { config: { sluice: { limit: 1, window: '1m', key: 'all' } } }, hello)
  app.get('/none', { config: { sluice: false } }, hello)
  const send = await serve(app)
  expect((await send('/')).body).toBe('["daily"]')
  expect(await statuses(send, 'GET /', 'GET /', 'GET /nowhere')).toEqual([200, 429, 429])
  expect(await send('/free')).toMatchObject({ status: 200, body: 'none' })
  expect(await statuses(send, 'GET /own', 'GET /own')).toEqual([200, 429])
  expect(await statuses(send, 'GET /none', 'GET /none')).toEqual([200, 200])
  expect(app.sluice.limiter.name).toBe('document')
  expect(app.sluice.limiterOf('document')).toBe(app.sluice.limiter)
  await app.sluice.limiter.reset('all', { policies })
  expect(await statuses(send, 'GET /')).toEqual([200])
})

test('the rules of routes count together, and a placed limit has their limiter', async () => {
  const app = create()
  await app.register(rateLimit, { limit: 9, window: '1m', key: 'all', clock: () => start })
  const placed = app.sluice(options)
  app.get('/placed', { onRequest: placed, config: { sluice: false } }, hello)
  app.get('/a', { config: { sluice: options } }, hello)
  app.get('/b', { config: { sluice: options } }, hello)
  const send = await serve(app)
  expect(placed.limiter.name).toBe('document')
  expect(await statuses(send, 'GET /a', 'GET /placed', 'GET /b')).toEqual([200, 200, 429])
  expect(await placed.limiter.peek('all', { policies })).toMatchObject({ remaining: 0 })
})
