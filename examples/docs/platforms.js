// The settings of the page on platforms, behind two proxies: the address that the first of the two saw counts, and a forged one does not.
import assert from 'node:assert/strict'
import fastify from 'fastify'
import Koa from 'koa'
// #region ip
import express from 'express'

const app = express()
app.set('trust proxy', 2)
app.get('/ip', (request, response) => response.send(request.ip))
// #endregion
import { visit } from './check/visit.js'

const koaApp = new Koa({ proxy: true, maxIpsCount: 2 })
koaApp.use((context) => (context.body = context.ip))

const fastifyApp = fastify({ trustProxy: (_address, hop) => hop < 2 })
fastifyApp.get('/ip', async (request) => request.ip)
await fastifyApp.ready()

const forwarded = ['203.0.113.7, 192.0.2.1', '198.51.100.9, 203.0.113.7, 192.0.2.1']
for (const listener of [app, koaApp.callback(), fastifyApp.routing]) {
  await visit(listener, async (ask) => {
    for (const header of forwarded) {
      const response = await ask('/ip', { headers: { 'X-Forwarded-For': header } })
      assert.equal(await response.text(), '203.0.113.7')
    }
  })
}
await fastifyApp.close()
