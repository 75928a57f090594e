import { rateLimit } from '@sluice/fastify'
import fastify from 'fastify'

const app = fastify()
await app.register(rateLimit, { limit: 100, window: '1m' })
import assert from 'node:assert/strict'
import { statuses } from './check/visit.js'

app.get('/', async () => 'Hello.\n')
const address = await app.listen({ port: 0, host: '127.0.0.1' })
const ask = (path) => fetch(`${address}${path}`)
assert.equal((await ask('/')).headers.get('RateLimit-Policy'), '"default";q=100;w=60')
assert.deepEqual(await statuses(ask, 100, '/'), [...Array(99).fill(200), 429])
await app.close()
