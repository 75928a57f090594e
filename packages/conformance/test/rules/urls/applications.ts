import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Router as KoaRouter } from '@koa/router'
import * as onExpress from '@sluice/express'
import * as onFastify from '@sluice/fastify'
import * as onKoa from '@sluice/koa'
import type { Rules } from '@sluice/core/http'
import express5, { type Express, type RequestHandler } from 'express'
import express4 from 'express4'
import { fastify, type FastifyServerOptions } from 'fastify'
import Koa3, { type Middleware } from 'koa'
import Koa2 from 'koa2'
import { files, routes, type Ran } from './routes.js'

/** An application of one framework that has all routes. */
export interface Application {
  readonly name: string
  /** Whether the limiter knows the parameters of the route. */
  readonly knowsParams: boolean
  /** Whether the application changes URLs before it routes them. */
  readonly rewrites: boolean
  start(rules: Rules<unknown>, ran: (what: Ran) => void): Promise<RequestListener>
}

/** The place of the limiter: before the router, or in the routes. */
type Place = 'application' | 'route'

const places = ['application', 'route'] as const

/** Applications that do not trust a proxy. */
export const applications: readonly Application[] = [
  ...places.map((place) => ofExpress('Express 4', express4, '*', place)),
  ...places.map((place) => ofExpress('Express 5', express5, '*rest', place)),
  ...places.map((place) => ofKoa('Koa 2', Koa2, place)),
  ...places.map((place) => ofKoa('Koa 3', Koa3, place)),
  ofFastify('without options', {}),
  ofFastify('caseSensitive', { routerOptions: { caseSensitive: false } }),
  ofFastify('ignoreTrailingSlash', { routerOptions: { ignoreTrailingSlash: true } }),
  ofFastify('ignoreDuplicateSlashes', { routerOptions: { ignoreDuplicateSlashes: true } }),
  ofFastify('useSemicolonDelimiter', { useSemicolonDelimiter: true }),
  ofFastify('maxParamLength, allowUnsafeRegex', {
    routerOptions: { maxParamLength: 5, allowUnsafeRegex: true },
  }),
  ofFastify('rewriteUrl', { rewriteUrl: ({ url = '' }) => url.replace('/v1', '') || '/' }),
  ofFastify('all of these', {
    useSemicolonDelimiter: true,
    routerOptions: {
      caseSensitive: false,
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      maxParamLength: 5,
    },
  }),
]

/** Applications that trust every proxy. */
export const trusting: readonly Application[] = [
  ofExpress('Express 4 behind a proxy', express4, '*', 'application', true),
  ofExpress('Express 5 behind a proxy', express5, '*rest', 'application', true),
  ofKoa('Koa 3 behind a proxy', Koa3, 'application', true),
  ofFastify('behind a proxy', { trustProxy: true }),
]

function ofExpress(
  framework: string,
  create: typeof express5,
  star: string,
  place: Place,
  trustsProxies = false,
): Application {
  async function start(rules: Rules<unknown>, ran: (what: Ran) => void): Promise<RequestListener> {
    const app = create()
    app.set('trust proxy', trustsProxies)
    const limit = onExpress.rateLimit({ rules })
    if (place === 'application') app.use(limit)
    const own = place === 'route' ? [limit] : []
    const served = (id: string): RequestHandler => {
      return ({ params, query, hostname }, response) => {
        ran({ id, param: params['id'], query: query['id'], host: hostname })
        response.send('served')
      }
    }
    const { cart: _mounted, ...others } = routes
    for (const [id, path] of Object.entries(others)) {
      app.get(path.replace('**', star), ...own, served(id))
    }
    const shop = create.Router({ mergeParams: true })
    shop.get('/cart', ...own, served('cart'))
    app.use('/shop/:id', shop)
    serveFiles(app, create, own, ran)
    return (request, response) => void app(request, response)
  }
  return {
    name: `${framework}, in the ${place}`,
    knowsParams: place === 'route',
    rewrites: false,
    start,
  }
}

function serveFiles(
  app: Express,
  create: typeof express5,
  limits: readonly RequestHandler[],
  ran: (what: Ran) => void,
): void {
  const folder = folderOfFiles()
  const serving = (below: string): RequestHandler =>
    create.static(join(folder, below), {
      setHeaders(_response, file: string) {
        for (const [id, path] of Object.entries(files)) {
          if (file === join(folder, path)) ran({ id })
        }
      },
    })
  app.use('/mnt', ...limits, serving('mnt'))
  app.use(...limits, serving(''))
}

let folder: string | undefined

/** A folder with all files, which is removed at the end of the process. */
function folderOfFiles(): string {
  if (folder !== undefined) return folder
  const made = mkdtempSync(join(tmpdir(), 'sluice-files-'))
  for (const path of Object.values(files)) {
    mkdirSync(dirname(join(made, path)), { recursive: true })
    writeFileSync(join(made, path), path)
  }
  process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  return (folder = made)
}

function ofKoa(framework: string, Koa: typeof Koa3, place: Place, proxy = false): Application {
  async function start(rules: Rules<unknown>, ran: (what: Ran) => void): Promise<RequestListener> {
    const app = new Koa({ proxy })
    app.silent = true
    const limit = onKoa.rateLimit({ rules })
    if (place === 'application') app.use(limit)
    const own = place === 'route' ? [limit] : []
    const served = (id: string): Middleware => {
      return (context) => {
        const { params, query, hostname } = context
        ran({ id, param: params['id'], query: query['id'], host: hostname })
        context.body = 'served'
      }
    }
    const router = new KoaRouter()
    const { cart: _nested, ...others } = routes
    for (const [id, path] of Object.entries(others)) {
      router.get(path.replace('**', '{*rest}'), ...own, served(id))
    }
    const shop = new KoaRouter()
    shop.get('/cart', ...own, served('cart'))
    router.use('/shop/:id', shop.routes())
    app.use(router.routes())
    const respond = app.callback()
    return (request, response) => void respond(request, response)
  }
  return {
    name: `${framework}, in the ${place}`,
    knowsParams: place === 'route',
    rewrites: false,
    start,
  }
}

function ofFastify(options: string, settings: FastifyServerOptions): Application {
  async function start(rules: Rules<unknown>, ran: (what: Ran) => void): Promise<RequestListener> {
    const app = fastify(settings)
    await app.register(onFastify.rateLimit, { rules })
    for (const [id, path] of Object.entries(routes)) {
      app.get(path.replace('**', '*'), ({ params, query, hostname }, reply) => {
        const [param, parameter]: unknown[] = [params, query].map((values) =>
          Reflect.get(Object(values), 'id'),
        )
        ran({ id, param, query: parameter, host: hostname })
        reply.send('served')
      })
    }
    await app.ready()
    return (request, response) => void app.server.emit('request', request, response)
  }
  const rewrites = settings.rewriteUrl !== undefined
  return { name: `Fastify ${options}`, knowsParams: true, rewrites, start }
}
