// #region app
import { fixedWindow, rateLimit } from '@sluice/fastify'
import fastify from 'fastify'

export const app = fastify()

await app.register(rateLimit, { limit: 10, window: '1m', algorithm: fixedWindow })

const perName = app.sluice({
  name: 'login',
  limit: 3,
  window: '15m',
  key: (request) => ['name', request.body.name],
})

app.get('/', async () => 'Hello.')
app.post('/login', {
  config: { sluice: false },
  preHandler: perName,
  handler: async (request, reply) =>
    reply.code(request.body.password === 'right' ? 200 : 401).send(),
})
app.get('/health', { config: { sluice: false } }, async () => 'Well.')
// #endregion
