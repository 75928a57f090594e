import type { RequestListener } from 'node:http'
import { createServer } from 'node:http2'
import { Router as KoaRouter } from '@koa/router'
import * as onKoa from '@sluice/koa'
import Koa3 from 'koa'
import Koa2 from 'koa2'
import { describe, expect, test } from 'vitest'
import { load, many, overHttp1, overHttp2, portOf, type Rule } from './sending.js'

describe.each([
  ['Koa 2', Koa2],
  ['Koa 3', Koa3],
])('%s', (_, Koa) => {
  async function applicationOf(rules: readonly Rule[]): Promise<RequestListener> {
    const app = new Koa()
    app.use(onKoa.rateLimit({ rules: await load(rules) }))
    const router = new KoaRouter()
    router.get('/login', (context) => (context.body = context.hostname))
    app.use(router.routes())
    const respond = app.callback()
    return (request, response) => void respond(request, response)
  }

  test('a space of Latin-1 at the end of the path is that path, by HTTP/2', async () => {
    const server = createServer(
      (await applicationOf([
        { id: 'others', when: { not: { path: '/login' } }, then: 'allow' },
        { id: 'login', when: { path: '/login' }, key: [], ...many },
      ])) as unknown as Parameters<typeof createServer>[0],
    )
    const get = overHttp2(await portOf(server))
    for (const path of ['/login', '/login\u00a0', '/login\u00a0\u00a0', '/login/\u00a0']) {
      expect([path, ...(await get({ ':path': path }))]).toEqual([path, '127.0.0.1', 'login'])
    }
  })

  test.each([
    ['u@api.example', {}],
    ['api.example,other', {}],
    ['api.example:x', {}],
    ['api.example', { host: 'other.example' }],
    ['other.example', { host: 'api.example' }],
  ])('the host %s, and by HTTP/2 also %j', async (host, more) => {
    const listener = await applicationOf([
      { id: 'others', when: { not: { host: 'api.example' } }, then: 'allow' },
      { id: 'free', when: { host: 'api.example' }, then: 'allow' },
      { id: 'api', when: { host: 'api.example' }, key: [], ...many },
    ])
    const server = createServer(listener as unknown as Parameters<typeof createServer>[0])
    const get = overHttp2(await portOf(server))
    const [, ...limits] = await get({ ':path': '/login', ':authority': host, ...more })
    expect(limits).toEqual(['api'])
    if (Object.keys(more).length > 0) return
    const getBy1 = await overHttp1(listener)
    expect(await getBy1('/login', host)).toEqual(['api.example', 'api'])
  })
})
