// Metrics of a limiter for Prometheus: decisions, errors of the store, the breaker, and decisions without the store.
import { memoryStore, rateLimit, redisStore } from '@sluice/express'
import express from 'express'
import { Redis } from 'ioredis'
// #region metrics
import { subscribe } from 'node:diagnostics_channel'
import { Counter, Gauge, register } from 'prom-client'

// Labels are names of limiters, and never keys: there are as many keys as clients.
const decisions = new Counter({
  name: 'sluice_decisions_total',
  help: 'Decisions by limiter, outcome and source: store, local, fallback, open or closed',
  labelNames: ['limiter', 'outcome', 'source'],
})
const storeErrors = new Counter({
  name: 'sluice_store_errors_total',
  help: 'Calls to a store that failed',
  labelNames: ['store', 'code'],
})
const breakerOpen = new Gauge({
  name: 'sluice_breaker_open',
  help: '1 while the breaker of a store is open',
  labelNames: ['store'],
})
const fallback = new Gauge({
  name: 'sluice_fallback',
  help: '1 while a limiter decides without its store',
  labelNames: ['limiter', 'on_store_error'],
})

// An error in a subscriber ends the process.
subscribe('sluice:decision', ({ limiter, decision: { allowed, source } }) => {
  decisions.inc({ limiter, outcome: allowed ? 'allowed' : 'denied', source })
})
subscribe('sluice:store:error', ({ store, error }) => {
  storeErrors.inc({ store, code: error.code })
})
subscribe('sluice:breaker', ({ store, state }) => {
  breakerOpen.set({ store }, state === 'open' ? 1 : 0)
})
subscribe('sluice:fallback', ({ limiter, state, onStoreError }) => {
  fallback.set({ limiter, on_store_error: onStoreError }, state === 'begun' ? 1 : 0)
})
// #endregion

const { PORT: port = '3000', REDIS_URL: redisUrl } = process.env

const redis = redisUrl === undefined ? undefined : new Redis(redisUrl)
redis?.on('error', (error) => console.error(`Redis: ${error.message}`))

const app = express()

// In front of the limiter, so that requests for the metrics are not limited.
app.get('/metrics', async (_request, response) => {
  response.type(register.contentType).send(await register.metrics())
})

app.use(
  rateLimit({
    name: 'hello',
    limit: 5,
    window: '10s',
    store: redis === undefined ? memoryStore() : redisStore(redis),
  }),
)

app.get('/', (_request, response) => {
  response.type('text').send('Hello.\n')
})

const server = app.listen(Number(port), (error) => {
  if (error) throw error
  const url = `http://localhost:${port}/`
  console.log(`Listening on ${url}, counting in ${redis === undefined ? 'memory' : 'Redis'}. Try:

  for i in 1 2 3 4 5 6; do curl -s -o /dev/null -w '%{http_code}\\n' ${url}; done
  curl -s ${url}metrics | grep sluice

With REDIS_URL set, stop Redis and look again: sluice_breaker_open and sluice_fallback are 1 until it is available again.`)
})

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    server.close()
    redis?.disconnect()
  })
}
