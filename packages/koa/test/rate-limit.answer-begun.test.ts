import Koa3, { type Middleware } from 'koa'
import Koa2 from 'koa2'
import request from 'supertest'
import { describe, expect, test } from 'vitest'
import { rateLimit } from '../src/index.js'

describe.each<[string, new () => Koa3]>([
  ['Koa 2', Koa2],
  ['Koa 3', Koa3],
])('%s: a denial after the answer has begun', (_, Koa) => {
  test('leaves the status and the body of the context as they are', async () => {
    const seen: unknown[] = []
    const early: Middleware = async (ctx, next) => {
      ctx.respond = false
      ctx.res.write('early')
      await next()
      seen.push(ctx.status, ctx.body)
      ctx.res.end()
    }
    const app = new Koa()
    app.silent = true
    app.use(early).use(rateLimit({ limit: 0, window: '1m' }))
    const { text } = await request(app.callback()).get('/')
    expect([text, ...seen]).toEqual(['early', 404, undefined])
  })
})
