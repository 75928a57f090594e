/**
 * A usual application: Express, one store, two limiters. It has no handlers for errors in the background, so an unhandled rejection ends the
 * process.
 */
import { shiftClock } from './shifted-clock.js'
import { subscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { rateLimit, type OnStoreError, type StoreErrorEvent } from '@sluice/express'
import express, { type ErrorRequestHandler, type Request, type Response } from 'express'
import { makeClient, type ClientSpec } from './client.js'
import { policyOf, type Algorithm, type Route } from './limits.js'
import { watchStalls, type Stall } from '../moments.js'

export interface AppSpec {
  readonly client: ClientSpec
  readonly onStoreError: OnStoreError
  /** The algorithm of both limits, by which two versions of the application differ. */
  readonly algorithm: Algorithm
  /** The deadline of the store, in milliseconds. */
  readonly timeoutMs: number
  /** When the application connects the client: before it listens, at the same time, or at a command. */
  readonly connect: 'before' | 'meanwhile' | 'when told'
}

export type Command =
  | { readonly do: 'connect' }
  | { readonly do: 'close' }
  | { readonly do: 'take connections' }
  | { readonly do: 'release connections' }
  | { readonly do: 'set clock'; readonly aheadMs: number }
  | { readonly do: 'report' }

export type Report =
  | { readonly port: number }
  | {
      readonly did: Command['do']
      readonly stalls: readonly Stall[]
      /** How often the store failed with each error message. */
      readonly errors: Readonly<Record<string, number>>
    }

const spec = JSON.parse(process.argv[2] ?? '') as AppSpec
const { client: clientSpec, onStoreError, algorithm, timeoutMs, connect } = spec
const stalls = watchStalls()
const errors: Record<string, number> = {}
subscribe('sluice:store:error', (event) => {
  const { error } = event as StoreErrorEvent
  errors[error.message] = (errors[error.message] ?? 0) + 1
})
const owned = makeClient(clientSpec)
const store = owned.store(timeoutMs)
let release: (() => void) | undefined
const app = express()
for (const route of ['open', 'tight'] as const) {
  app.get(`/${route}`, limiter(route), (request, response) => answer(request, response, 200))
}
app.use(errorHandler())

if (connect === 'before') await owned.connect()
if (connect === 'meanwhile') void owned.connect()
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
report({ port: typeof address === 'object' && address !== null ? address.port : 0 })

process.on('message', (command: Command) => {
  void run(command).then(() => report({ did: command.do, stalls, errors }))
})

async function run(command: Command): Promise<void> {
  switch (command.do) {
    case 'connect':
      await owned.connect()
      return
    case 'close':
      await owned.close()
      return
    case 'take connections':
      release = await owned.takeAll?.()
      return
    case 'release connections':
      release?.()
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
    policies: policyOf(algorithm, route),
    key: (request) => request.get('x-client') ?? '',
    store,
    onStoreError,
    onDenied: (request, response) => answer(request, response, 429),
  })
}

function answer({ rateLimit: decision }: Request, response: Response, status: number): void {
  response.status(status).json({ source: decision?.source, algorithm })
}

function errorHandler(): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    response.status(500).json({ problem: String(error) })
  }
}

function report(message: Report): void {
  process.send?.(message)
}
