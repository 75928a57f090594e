import type { ExceptionFilter, ModuleMetadata } from '@nestjs/common'
import { createClient } from 'graphql-ws'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { create } from './apps.js'
import { drivers, serving, type Driver } from './graphql-apps.js'

/** An error as the client receives it. */
export interface SubscriptionError {
  message: string
  extensions?: Record<string, unknown>
}

/** The results of a subscription until its end. */
export interface Outcome {
  data: unknown[]
  errors: SubscriptionError[]
}

const protocols: Record<string, object> = {
  Apollo: { subscriptions: { 'graphql-ws': true } },
  Mercurius: { subscription: { fullWsTransport: true } },
}

// Mercurius 14 sends an error as a string, for which a client of the protocol closes the connection.
export const subscriptionDrivers: Driver[] = drivers.filter(
  ([name]) => name !== 'Mercurius, NestJS 10 on Fastify',
)

/** Serves a schema with subscriptions. Returns a function that opens a connection, which returns the function that sends an operation. */
export async function serveSubscriptions(
  [name, adapter, driver]: Driver,
  schema: string,
  metadata: ModuleMetadata,
  { filters = [], trust }: { filters?: ExceptionFilter[]; trust?: number } = {},
): Promise<(headers?: Record<string, string>) => (query: string) => Promise<Outcome>> {
  const [library] = name.split(',')
  const { context: _context, ...own } = driver
  const app = await create(
    adapter(trust),
    serving({ ...own, ...protocols[library] }, schema, metadata),
  )
  app.useGlobalFilters(...filters)
  await app.listen(0, '127.0.0.1')
  const url = `${(await app.getUrl()).replace('http', 'ws')}/graphql`
  return (headers = {}) => {
    class Socket extends WebSocket {
      constructor(address: string, protocol: string) {
        super(address, protocol, { headers })
      }
    }
    const client = createClient({ url, webSocketImpl: Socket, lazy: false, retryAttempts: 0 })
    onTestFinished(() => void client.dispose())
    return async (query) => {
      const outcome: Outcome = { data: [], errors: [] }
      await new Promise<void>((resolve) => {
        client.subscribe(
          { query },
          {
            next({ data, errors = [] }) {
              if (data !== null && data !== undefined) outcome.data.push(data)
              outcome.errors.push(...errors.map(shown))
            },
            error(error) {
              outcome.errors.push(...(Array.isArray(error) ? error : [error]).map(shown))
              resolve()
            },
            complete: resolve,
          },
        )
      })
      return outcome
    }
  }
}

function shown({ message, extensions = {} }: SubscriptionError): SubscriptionError {
  const { stacktrace: _stacktrace, ...others } = extensions
  return { message, extensions: others }
}
