// #region app
import rateLimit from '@fastify/rate-limit'
import { fixedWindow, rateLimit as sluice } from '@sluice/fastify'
import fastify from 'fastify'

export const app = fastify()
export const compared = { same: 0, stricter: 0, looser: 0 }

// Registered first, in its own scope: both plugins add `app.rateLimit` and read `config.rateLimit` of the routes in their scope.
const trial = {}
await app.register(async (scope) => {
  const options = { limit: 10, window: '1m', algorithm: fixedWindow, dryRun: true }
  await scope.register(sluice, { ...options, global: false })
  trial.all = scope.rateLimit()
  trial.login = scope.rateLimit({ name: 'login', limit: 3, window: '15m' })
})

app.addHook('onRequest', async (request, reply) => {
  const { rateLimit: own } = request.routeOptions.config
  if (own === undefined) await trial.all.call(app, request, reply)
})

app.addHook('onResponse', async (request, reply) => {
  if (request.rateLimit === undefined) return
  const allowed = reply.statusCode !== 429
  if (request.rateLimit.allowed === allowed) compared.same++
  else if (allowed) compared.stricter++
  else compared.looser++
})

await app.register(rateLimit, { max: 10, timeWindow: '1 minute' })

app.get('/', async () => 'Hello.')
app.post('/login', {
  config: { rateLimit: { max: 3, timeWindow: '15 minutes' } },
  onRequest: trial.login,
  handler: async (request, reply) => reply.code(401).send(),
})
app.get('/health', { config: { rateLimit: false } }, async () => 'Well.')
// #endregion
