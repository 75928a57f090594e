import { expect, test } from 'vitest'
import { createLimiter, limitedFetch, tokenBucket, unlimited } from '../src/index.js'
import {
  byExpressRateLimit,
  byFastifyRateLimit,
  byKoaRateLimit,
  serve,
  sluice,
  type Server,
} from './servers.js'

const generous = tokenBucket({ capacity: 100, refill: 100, every: '1s' })

const limited = [
  ['Sluice, draft', () => sluice('draft')],
  ['Sluice, draft-7', () => sluice('draft-7')],
  ['Sluice, draft-6', () => sluice('draft-6')],
  ['Sluice, legacy', () => sluice('legacy')],
  ['Sluice, legacy-epoch', () => sluice('legacy-epoch')],
  ['express-rate-limit, draft-8', () => byExpressRateLimit('draft-8')],
  ['express-rate-limit, draft-7', () => byExpressRateLimit('draft-7')],
  ['express-rate-limit, draft-6', () => byExpressRateLimit('draft-6')],
  ['express-rate-limit, X-RateLimit', () => byExpressRateLimit(false)],
  ['@fastify/rate-limit', byFastifyRateLimit],
  ['koa-ratelimit', byKoaRateLimit],
] as const

/** The results of all servers, by their names. All are asked at once, because each takes seconds. */
async function forEach<T>(ask: (server: Server) => Promise<T>): Promise<Record<string, T>> {
  const results = await Promise.all(
    limited.map(async ([name, create]) => [name, await ask(await serve(await create()))] as const),
  )
  return Object.fromEntries(results)
}

function each<T>(expected: T): Record<string, T> {
  return Object.fromEntries(limited.map(([name]) => [name, expected]))
}

test('a server refuses no call after it said that nothing remains', async () => {
  const statuses = await forEach(async (server) => {
    const limiter = createLimiter({ name: 'calls', policies: generous })
    const call = limitedFetch(limiter, { maxWait: '10s', retries: 0 })
    for (let n = 0; n < 5; n++) await (await call(server.url)).text()
    return server.statuses
  })
  expect(statuses).toEqual(each([200, 200, 200, 200, 200]))
})

test('every call is answered at last if several are sent at once', async () => {
  const statuses = await forEach(async ({ url }) => {
    const limiter = createLimiter({ name: 'calls', policies: generous })
    const call = limitedFetch(limiter, { maxWait: '20s', retries: 3 })
    const responses = await Promise.all(Array.from({ length: 4 }, async () => call(url)))
    return responses.map(({ status }) => status)
  })
  expect(statuses).toEqual(each([200, 200, 200, 200]))
})

test('a limit of 5 a second refuses some of 12 calls at once, and none of those that wait', async () => {
  const create = async () => serve(sluice('draft', { limit: 5, window: '1s' }))
  const sent = async (url: string, call: typeof fetch) =>
    Promise.all(Array.from({ length: 12 }, async () => (await call(url)).status))

  const plain = await create()
  const refused = (await sent(plain.url, fetch)).filter((status) => status === 429)
  expect(refused).toHaveLength(7)

  const server = await create()
  const limiter = createLimiter({
    name: 'calls',
    policies: tokenBucket({ capacity: 5, refill: 5, every: '1s' }),
  })
  const statuses = await sent(server.url, limitedFetch(limiter, { maxWait: '20s', retries: 2 }))
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(server.statuses.filter((status) => status === 429)).toEqual([])
})

test('a limiter that counts nothing still returns each response', async () => {
  const server = await serve(sluice('draft'))
  const limiter = createLimiter({ name: 'calls', policies: unlimited() })
  const call = limitedFetch(limiter, { maxWait: '10s', retries: 1 })
  for (let n = 0; n < 3; n++) expect((await call(server.url)).status).toBe(200)
  expect(server.statuses).toEqual([200, 200, 429, 200])
})
