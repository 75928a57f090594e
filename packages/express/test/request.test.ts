import { Router } from 'express'
import request from 'supertest'
import { expect, test } from 'vitest'
import { byRoute, rateLimit } from '../src/index.js'
import { frameworks } from './apps.js'

test.each(frameworks)(
  'a client has one count for a route of a mounted router, in whatever spelling (%s)',
  async (_, create) => {
    const limit = rateLimit({ limit: 4, window: '1m', key: byRoute() })
    const router = Router().get('/items/:id', limit, (_request, response) => {
      response.send('hello')
    })
    const app = create()
    app.use('/api', router)
    app.use('/of/:shop', router)
    const statusOf = async (path: string): Promise<number> => (await request(app).get(path)).status
    const paths = ['/api/items/1', '/API/items/2', '/aPi/Items/3', '/Api/items/4/', '/apI/items/5']
    const statuses = []
    for (const path of paths) statuses.push(await statusOf(path))
    expect(statuses).toEqual([200, 200, 200, 200, 429])
    const shops = ['/of/a%20b/items/1', '/OF/A%20B/items/1', '/of/%61%20b/items/1']
    for (const path of shops) expect(await statusOf(path)).toBe(200)
    const { used } = (await limit.limiter.status(['route', 'GET', '/of/a b/items/:id'])).policies[
      'default'
    ]
    expect(used).toBe(3)
  },
)
