// @ts-check -- Both plugins declare what they add to Fastify. This program compiles with both.
// #region app
import rateLimit from '@fastify/rate-limit'
import { fixedWindow, rateLimit as sluice } from '@sluice/fastify'
import fastify from 'fastify'

export const app = fastify()
export const compared = { same: 0, stricter: 0, looser: 0 }

// Registered first, so that it also counts the requests that the old plugin denies.
await app.register(sluice, { limit: 10, window: '1m', algorithm: fixedWindow, dryRun: true })
await app.register(rateLimit, { max: 10, timeWindow: '1 minute' })

app.addHook('onResponse', async (request, reply) => {
  if (request.rateLimit === undefined) return
  const allowed = reply.statusCode !== 429
  if (request.rateLimit.allowed === allowed) compared.same++
  else if (allowed) compared.stricter++
  else compared.looser++
})

app.get('/', async () => 'Hello.')
app.post('/login', {
  config: {
    rateLimit: { max: 3, timeWindow: '15 minutes' },
    sluice: { name: 'login', limit: 3, window: '15m' },
  },
  handler: async (request, reply) => reply.code(401).send(),
})
app.get('/health', { config: { rateLimit: false, sluice: false } }, async () => 'Well.')
// #endregion app
