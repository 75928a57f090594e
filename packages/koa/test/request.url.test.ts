import Koa3, { type Context, type Next } from 'koa'
import Koa2 from 'koa2'
import request from 'supertest'
import { expect, test } from 'vitest'
import { rateLimit } from '../src/index.js'

test.each([
  ['Koa 2', Koa2],
  ['Koa 3', Koa3],
])('the url keeps the prefix of a mounted application (%s)', async (_, Koa) => {
  const urls: unknown[] = []
  const app = new Koa()
  // As koa-mount does: the prefix is cut off for the middlewares behind it.
  app.use(async (context: Context, next: Next) => {
    context.path = context.path.slice('/v1'.length)
    await next()
  })
  app.use(
    rateLimit({
      limit: 10,
      window: '1m',
      key: ({ path }, { url }) => {
        urls.push(path, url)
        return 'all'
      },
    }),
  )
  app.use((context: Context) => {
    context.body = 'hello'
  })
  await request(app.callback()).get('/v1/items?x=1').expect(200)
  expect(urls).toEqual(['/items', '/v1/items?x=1'])
})
