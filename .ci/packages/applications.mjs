import { join } from 'node:path'
import { compile, createProject } from './project.mjs'
import { visit } from './visit.mjs'

const frameworks = ['express', 'koa', 'fastify', 'hono', '@nestjs/common', '@nestjs/core']
const needed = ['@nestjs/platform-express', 'reflect-metadata', 'rxjs']
const types = ['@types/node', '@types/express', '@types/koa']

/** Applications with all packages: one in TypeScript, one in JavaScript with require. */
export async function* applications(packages, folder) {
  const dependencies = [
    ...packages.map(({ manifest }) => manifest.name),
    ...frameworks,
    ...needed,
    ...types,
  ]

  const project = createProject(join(folder, 'applications'), packages, {
    dependencies,
    files: { 'server.ts': typescript, 'common.cjs': commonJs(entriesOf(packages)) },
  })
  compile(project, 'server.ts')
  yield `ESM TypeScript: ${await visit(project, 'server.js')}`
  yield `CommonJS JavaScript: ${await visit(project, 'common.cjs')}`
}

const typescript = `
  import { createLimiter, memoryStore, slidingWindow, type Decision } from '@sluice/core'
  import { byIp } from '@sluice/core/http'
  import { rateLimit } from '@sluice/express'
  import { rateLimit as fastifyRateLimit } from '@sluice/fastify'
  import { rateLimit as fetchRateLimit } from '@sluice/fetch'
  import { rateLimit as astroRateLimit } from '@sluice/fetch/astro'
  import { rateLimit as elysiaRateLimit } from '@sluice/fetch/elysia'
  import { proxyLimit } from '@sluice/fetch/next'
  import { rateLimit as routerRateLimit } from '@sluice/fetch/react-router'
  import { rateLimit as svelteRateLimit } from '@sluice/fetch/sveltekit'
  import { rateLimit as honoRateLimit } from '@sluice/hono'
  import { rateLimit as koaRateLimit } from '@sluice/koa'
  import { RateLimitModule } from '@sluice/nestjs'
  import type { DynamicModule } from '@nestjs/common'
  import express from 'express'
  import fastify from 'fastify'
  import { Hono } from 'hono'
  import Koa from 'koa'

  const limit = { limit: 5, window: '1m' } as const
  const limiter = createLimiter({ name: 'probe', policies: slidingWindow(limit) })
  const decision: Decision = limiter.consume('key')
  if (!decision.allowed) throw new Error('denied')

  new Koa().use(koaRateLimit({ ...limit, key: byIp() }))
  new Hono().use(honoRateLimit({ ...limit, address: { proxies: 1 } }))
  export const handler = fetchRateLimit(limit)((request: Request) => new Response(request.url))
  export const proxy = proxyLimit({ ...limit, address: { proxies: 1 } })
  export const onRequest = astroRateLimit(limit)
  export const plugin = elysiaRateLimit(limit)
  export const middleware = [routerRateLimit({ ...limit, address: { proxies: 1 } })]
  export const handle = svelteRateLimit(limit)
  await fastify().register(fastifyRateLimit, limit)
  export const module: DynamicModule = RateLimitModule.forRoot(limit)

  const app = express()
  // An adapter accepts a store of core only if both use the same core.
  app.use(rateLimit({ ...limit, store: memoryStore() }))
  app.get('/', (request, response) => {
    const left: number | undefined = request.rateLimit?.remaining
    response.send(String(left))
  })
  app.listen(3000)
`

/** Requires every entry of every package. */
function commonJs(entries) {
  return `
    const entries = ${JSON.stringify(entries)}
    for (const entry of entries) require(entry)

    const { memoryStore } = require('@sluice/core')
    const { rateLimit } = require('@sluice/express')
    const express = require('express')
    const app = express()
    app.use(rateLimit({ limit: 5, window: '1m', store: memoryStore() }))
    app.get('/', (request, response) => response.send(String(request.rateLimit.remaining)))
    app.listen(3000)
  `
}

function entriesOf(packages) {
  return packages.flatMap(({ manifest }) =>
    Object.keys(manifest.exports).map((path) => manifest.name + path.slice(1)),
  )
}
