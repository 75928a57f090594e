// The page that shows who is limited, on NestJS.
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'

const isAdmin = (request: IncomingMessage) => request.headers.authorization === 'Bearer secret'
// #region nestjs
import { createDashboard } from '@sluice/dashboard'
import { createLimiter } from '@sluice/nestjs'
import type { INestApplication } from '@nestjs/common'

const limiter = createLimiter({ name: 'api', limit: 100, window: '1m' })

const dashboard = createDashboard({
  limiters: { api: limiter },
  authorize: (request) => (isAdmin(request) ? 'write' : undefined),
})

// In main.ts, before app.listen(): the same on Express and on Fastify.
export function addDashboard(app: INestApplication): void {
  app.use('/limits', dashboard.handler)
}
// #endregion

@Module({})
class Whole {}

const app = await NestFactory.create(Whole, { logger: false })
addDashboard(app)
await app.listen(0, '127.0.0.1')
const view = `${await app.getUrl()}/limits/api/view`
assert.equal((await fetch(view)).status, 403)
const headers = { authorization: 'Bearer secret' }
assert.equal((await fetch(view, { headers })).status, 200)
await app.close()
await dashboard.close()
