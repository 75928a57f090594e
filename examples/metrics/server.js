// Metrics of a limiter for Prometheus: decisions, denials, calls to the store and their errors, the breaker, and decisions without the store.
import { memoryStore, rateLimit, redisStore } from '@sluice/express'
import express from 'express'
import { Redis } from 'ioredis'
// #region metrics
import { prometheus } from '@sluice/metrics'
import { register } from 'prom-client'

prometheus(register)
// #endregion

const { PORT: port = '3000', REDIS_URL: redisUrl } = process.env

const redis = redisUrl === undefined ? undefined : new Redis(redisUrl)
redis?.on('error', (error) => console.error(`Redis: ${error.message}`))

const app = express()

// In front of the limiter, so that requests for the metrics are not limited.
app.get('/metrics', async (_request, response, next) => {
  try {
    response.type(register.contentType).send(await register.metrics())
  } catch (error) {
    next(error)
  }
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
  curl -s ${url}metrics | grep ^sluice

With REDIS_URL set, stop Redis and look again: sluice_breaker_open and sluice_fallback_active are 1 until it is available again.`)
})

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    server.close()
    redis?.disconnect()
  })
}
