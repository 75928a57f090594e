// #region app
import rateLimit from '@fastify/rate-limit'
import fastify from 'fastify'

export const app = fastify()

await app.register(rateLimit, { max: 10, timeWindow: '1 minute' })

app.get('/', async () => 'Hello.')
app.post('/login', {
  config: {
    rateLimit: {
      max: 3,
      timeWindow: '15 minutes',
      hook: 'preHandler',
      keyGenerator: (request) => request.body.name,
    },
  },
  handler: async (request, reply) =>
    reply.code(request.body.password === 'right' ? 200 : 401).send(),
})
app.get('/health', { config: { rateLimit: false } }, async () => 'Well.')
// #endregion
