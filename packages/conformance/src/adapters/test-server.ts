import { createLimiter, type Limiter, type Policies, type Store } from '@sluice/core'
import { onTestFinished } from 'vitest'
import type { Adapter, App, NeutralOptions, OptionsFor } from './adapter.js'
import { clientOf, type Reply, type Sent } from './client.js'
import { createHandler, type Handler } from './handler.js'
import { recorded, type Recorded } from './recorded.js'

export type StoreFactory = () => Store | Promise<Store>

export interface AppExtras extends Partial<Pick<App, 'proxies' | 'first' | 'place' | 'handling'>> {
  /** The options of a second limiter, behind the first. It counts in the same store. */
  readonly second?: NeutralOptions<unknown>
}

/** A server with one limiter, a client, and a clock that only the test moves. */
export interface TestServer extends Handler, Recorded {
  /** The time in milliseconds. */
  now: number
  readonly port: number
  /** The number of requests that have arrived, counted before the limiter. */
  readonly arrived: number
  /** The number of requests that have ended for the server. */
  readonly over: number
  send(headers?: Record<string, string>, path?: string, method?: string): Sent
  /** Like `send`, but waits for the whole answer. */
  get(headers?: Record<string, string>, path?: string, method?: string): Promise<Reply>
  /** The limiter behind the adapter. */
  behind(): Limiter
  /** Another limiter on the same counters, whose calls are not recorded. */
  limiter(policies: Policies): Limiter
}

export type OpenServer = (
  options: OptionsFor | NeutralOptions<unknown>,
  extras?: AppExtras,
) => Promise<TestServer>

/** 2025-11-21T00:00:00Z: a midnight, so that windows of up to a day begin here. */
export const today = 1_763_683_200_000

/** The name of each limiter: the servers share no store. */
const name = 'api'

/** Opens servers for a test, and closes them when the test has finished. */
export function serversOf(adapter: Adapter, makeStore: StoreFactory): OpenServer {
  return async (options, extras = {}) => {
    const inner = await makeStore()
    const { store, verbs } = recorded(inner)
    const handler = createHandler()
    const clock = (): number => server.now
    const { proxies = 0, place = 'app', handling = 'application', second } = extras
    let arrived = 0
    let over = 0
    const served = await adapter.serve({
      proxies,
      place,
      handling,
      first(arrival) {
        arrived++
        arrival.response.once('close', () => over++)
        extras.first?.(arrival)
      },
      options: (read) =>
        named(name, { store, clock, ...(typeof options === 'function' ? options(read) : options) }),
      second: second && (() => named(`${name} behind`, { store, clock, ...second })),
      handle: (visit) => handler.handle(visit),
      failed: (error) => handler.failed(error),
    })
    const client = clientOf(adapter, served.port)
    onTestFinished(async () => {
      client.close()
      await served.close()
    })
    function send(headers: Record<string, string> = {}, path = '/', method = 'GET'): Sent {
      return client.send({ method, path, headers })
    }
    const server: TestServer = {
      ...handler,
      verbs,
      now: today,
      port: served.port,
      get arrived() {
        return arrived
      },
      get over() {
        return over
      },
      send,
      get: async (...ask) => send(...ask).reply,
      behind: () => served.limiter(),
      limiter: (policies) => createLimiter({ name, policies, store: inner, clock }),
    }
    return server
  }
}

/** Rules have their own name. */
function named<R>(name: string, options: NeutralOptions<R>): NeutralOptions<R> {
  return options.rules === undefined ? { name, ...options } : options
}
