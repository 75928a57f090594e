import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { startRedis } from '@sluice/test-kit/redis'
import { rateLimit, redisStore } from '@sluice/express'
import express from 'express'
import { Registry } from 'prom-client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { prometheus } from '../../src/index.js'
import { numbersOf } from '../text.js'

test('the metrics of an Express server follow its traffic, the death of its Redis and the return', async () => {
  const redis = await startRedis()
  onTestFinished(redis.stop)
  const register = new Registry()
  onTestFinished(prometheus(register))
  const client = redis.client({ retryStrategy: () => 20, enableOfflineQueue: false })
  await once(client, 'ready')
  const { ask, scrape, close } = await serve(
    redisStore(client, { timeout: '5s', prefix: 'traffic' }),
    register,
  )
  onTestFinished(close)
  const numbers = async (name: string) => numbersOf(register, `sluice_${name}`)
  const decisions = async (outcome: string, source: string) =>
    (await numbers('decisions_total'))[
      `limiter="traffic",outcome="${outcome}",source="${source}"`
    ] ?? 0

  const statuses: number[] = []
  for (let i = 0; i < 7; i++) statuses.push(await ask('ada'))
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429])
  // The second denial is remembered, so it is not a call.
  expect([await decisions('allowed', 'store'), await decisions('denied', 'store')]).toEqual([5, 1])
  expect(await decisions('denied', 'local')).toBe(1)
  expect(await numbers('denials_total')).toEqual({ 'limiter="traffic",policy="default"': 2 })
  expect(await numbers('store_requests_total')).toEqual({ 'store="redis"': 6 })
  expect(await numbers('store_call_duration_seconds_count')).toEqual({ 'store="redis"': 6 })
  const seconds = (await numbers('store_call_duration_seconds_sum'))['store="redis"']
  expect(seconds > 0 && seconds < 6).toBe(true)
  expect(await gauges()).toEqual([0, 0])

  process.kill(redis.pid, 'SIGKILL')
  // Three failed calls open the breaker, and the memory store decides.
  await vi.waitFor(async () => {
    expect(await ask(`bob ${Date.now()}`)).toBe(200)
    expect(await gauges()).toEqual([1, 1])
  }, atMost)
  const errors = await numbers('store_errors_total')
  expect(Object.values(errors).reduce((sum, value) => sum + value, 0) >= 3).toBe(true)
  expect((await decisions('allowed', 'fallback')) >= 3).toBe(true)
  const calls = (await numbers('store_call_duration_seconds_count'))['store="redis"']

  const next = await startRedis({ port: redis.port })
  onTestFinished(next.stop)
  // The fallback ends with the first request after a second without a failure.
  await vi.waitFor(async () => {
    await ask(`carol ${Date.now()}`)
    expect(await gauges()).toEqual([0, 0])
  }, atMost)
  expect((await numbers('store_call_duration_seconds_count'))['store="redis"'] > calls).toBe(true)
  expect(await scrape()).toContain('sluice_breaker_open{store="redis"} 0')

  async function gauges(): Promise<readonly number[]> {
    const [breaker, fallback] = [await numbers('breaker_open'), await numbers('fallback_active')]
    return [breaker['store="redis"'], fallback['limiter="traffic"']]
  }
})

const atMost = { timeout: 20_000, interval: 50 }

/** Serves limited requests, and the metrics to requests without a limit. */
async function serve(store: ReturnType<typeof redisStore>, register: Registry) {
  const app = express()
  app.get('/metrics', async (_request, response) => {
    response.type(register.contentType).send(await register.metrics())
  })
  const key = (request: express.Request): string => `${request.get('x-user')}`
  app.use(rateLimit({ name: 'traffic', limit: 5, window: '1h', key, store }))
  app.get('/', (_request, response) => void response.send('Hello'))
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    async ask(user: string): Promise<number> {
      const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { 'x-user': user } })
      await response.arrayBuffer()
      return response.status
    },
    async scrape(): Promise<string> {
      return (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    },
    async close(): Promise<void> {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
