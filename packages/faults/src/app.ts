/**
 * An application as its owner would write it: Express, one store, two limiters. It handles nothing that goes wrong in the background, so that
 * a rejection that nobody handles ends it.
 */
import { shiftClock } from './shifted-clock.js'
import { subscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import {
  fixedWindow,
  rateLimit,
  redisStore,
  type OnStoreError,
  type StoreErrorEvent,
} from '@sluice/express'
import express, { type ErrorRequestHandler, type Request, type Response } from 'express'
import { makeClient, type ClientSpec } from './client.js'
import { limits, type Route } from './limits.js'
import { watchStalls, type Stall } from './moments.js'

export interface AppSpec {
  readonly client: ClientSpec
  readonly onStoreError: OnStoreError
  /** Whether its owner connects the client before the application listens, at the same time, or when told to. */
  readonly connect: 'before' | 'meanwhile' | 'when told'
}

export type Command =
  | { readonly do: 'connect' }
  | { readonly do: 'close' }
  | { readonly do: 'set clock'; readonly aheadMs: number }
  | { readonly do: 'report' }

export type Report =
  | { readonly port: number }
  | {
      readonly did: Command['do']
      readonly stalls: readonly Stall[]
      /** What the store failed with, and how often. */
      readonly errors: Readonly<Record<string, number>>
    }

const { client: clientSpec, onStoreError, connect } = JSON.parse(process.argv[2] ?? '') as AppSpec
const stalls = watchStalls()
const errors: Record<string, number> = {}
subscribe('sluice:store:error', (event) => {
  const { error } = event as StoreErrorEvent
  errors[error.message] = (errors[error.message] ?? 0) + 1
})
const owned = makeClient(clientSpec)
const store = redisStore(owned.client)
const app = express()
for (const route of ['open', 'tight'] as const) {
  app.get(`/${route}`, limiter(route), (request, response) => tell(request, response, 200))
}
app.use(failed())

if (connect === 'before') await owned.connect()
if (connect === 'meanwhile') void owned.connect()
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
report({ port: typeof address === 'object' && address !== null ? address.port : 0 })

process.on('message', (command: Command) => {
  void obey(command).then(() => report({ did: command.do, stalls, errors }))
})

async function obey(command: Command): Promise<void> {
  switch (command.do) {
    case 'connect':
      await owned.connect()
      return
    case 'close':
      await owned.close()
      return
    case 'set clock':
      shiftClock(command.aheadMs)
      return
    case 'report':
      return
    default:
      return command satisfies never
  }
}

function limiter(route: Route): ReturnType<typeof rateLimit> {
  return rateLimit({
    name: route,
    policy: fixedWindow({ limit: limits[route], window: '1h' }),
    key: (request) => request.get('x-client') ?? '',
    store,
    onStoreError,
    onDenied: (request, response) => tell(request, response, 429),
  })
}

function tell({ rateLimit: decision }: Request, response: Response, status: number): void {
  response.status(status).json({ source: decision?.source, allowed: decision?.allowed })
}

function failed(): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    response.status(500).json({ problem: String(error) })
  }
}

function report(told: Report): void {
  process.send?.(told)
}
