// The user of a request in TypeScript, on Fastify.
import assert from 'node:assert/strict'
// #region fastify
import { byIp, byUser, firstOf, rateLimit } from '@sluice/fastify'
import fastify, { type FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    user?: { readonly id: string }
  }
}

const app = fastify()
const key = firstOf(
  byUser((request: FastifyRequest) => request.user?.id),
  byIp(),
)
await app.register(rateLimit, { limit: 100, window: '1m', key })
app.get('/', async (request) => ({ left: request.rateLimit?.remaining }))
// #endregion

assert.deepEqual((await app.inject('/')).json(), { left: 99 })
await app.close()
