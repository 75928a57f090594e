import type { AddressInfo } from 'node:net'
import { serve, type ServerType } from '@hono/node-server'
import { Hono } from 'hono'
import { expect, onTestFinished, test, vi } from 'vitest'
import { rateLimit } from '../src/index.js'
import { lookups } from '../src/lookups.js'

const minute = { limit: 2, window: '1m' } as const

test('the address is that of the connection, and no client writes it into a header or the environment', async () => {
  const app = new Hono()
  const limit = rateLimit(minute)
  app.use(limit)
  app.post('/', async (c) => c.json(await limit.keyOf(c)))
  const forged = {
    remoteAddr: { hostname: '6.6.6.6' },
    incoming: { socket: { remoteAddress: '6.6.6.6' } },
    requestIP: '6.6.6.6',
  }
  const server = await new Promise<ServerType>((resolve) => {
    const made = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => resolve(made))
  })
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const sent = { method: 'POST', headers: { 'x-forwarded-for': '6.6.6.6' } }
  const response = await fetch(`http://127.0.0.1:${port}/`, sent)
  expect(await response.json()).toBe('ip:127.0.0.1')
  app.onError(({ message }, c) => c.text(message, 500))
  const alone = await app.request('/', sent, forged)
  expect([alone.status, await alone.text()]).toEqual([500, expect.stringContaining('no address')])
})

test.each([
  'a=1&b=2&a=3',
  'a&b&a=&=c&&',
  'a=b=c&a==',
  '%61=1&a=2&a',
  'a=x+y&a=%2B&a=%20',
  'a=%ff&a=1',
  'a=%e4%bd%&a=%e4%b8%ad%ff&%ff=1&a=%',
  'a=?&a=;b&a=ä&__proto__x=1',
  '',
])('the values of the query %j are those that Hono reads', async (query) => {
  const app = new Hono()
  const read: object[] = []
  const sent: unknown[] = []
  app.get('/', (c) => {
    read.push(c.req.queries())
    sent.push(...(lookups.sent?.(c) ?? []))
    return c.text('hello')
  })
  await app.request(`http://host/?${query}`)
  expect(sent).toEqual(expect.arrayContaining(Object.values(read[0])))
})

test('the query is read in one pass: Hono searches the rest of it for each parameter', async () => {
  let searches = 0
  const app = new Hono()
  app.use(async ({ req }, next) => {
    vi.spyOn(req, 'queries').mockImplementation(() => ({ again: [`${++searches}`] }))
    await next()
  })
  app.use(rateLimit({ ...minute, key: () => ['own', 1] }))
  app.get('/', (c) => c.text('hello'))
  expect((await app.request('/?a&b&c')).status).toBe(200)
  expect(searches).toBe(0)
})

test('a list that the client sent in the query is not a key', async () => {
  const app = new Hono()
  app.use(rateLimit({ ...minute, key: (c) => c.req.queries('name') ?? 'none' }))
  app.get('/', (c) => c.text('hello'))
  for (const query of ['name=ann&name=1', 'name=ann&name=%ff', 'name=ann&n%61me=a+b']) {
    expect((await app.request(`/?${query}`)).status).toBe(400)
  }
})
