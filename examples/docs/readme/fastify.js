import { rateLimit } from '@sluice/fastify'
import fastify from 'fastify'

const app = fastify()
await app.register(rateLimit, { limit: 100, window: '1m' })

app.get('/', () => 'Hello')
await app.listen({ port: 3000 })
