import { Router } from 'express'
import request from 'supertest'
import { expect, test } from 'vitest'
import { rateLimit } from '../src/index.js'
import { frameworks } from './apps.js'

test.each(frameworks)('the url keeps the prefix of a mounted router (%s)', async (_, create) => {
  const urls: unknown[] = []
  const limit = rateLimit({
    limit: 10,
    window: '1m',
    key: (_request, { url }) => {
      urls.push(url)
      return 'all'
    },
  })
  const inner = Router().get('/items', limit, (_request, response) => {
    response.send('hello')
  })
  const app = create()
  app.use('/v1', Router().use('/shop', inner))
  await request(app).get('/v1/shop/items?x=1').expect(200)
  expect(urls).toEqual(['/v1/shop/items?x=1'])
})
