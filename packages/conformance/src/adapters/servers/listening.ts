import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { Limiter } from '@sluice/core'
import type { Served } from '../adapter.js'

/** Serves by HTTP/1 on a free port of the loopback. */
export async function listening(listener: RequestListener, limiter: Limiter): Promise<Served> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: portOf(server), limiter: () => limiter, close: () => closed(server) }
}

export function portOf(server: Pick<Server, 'address'>): number {
  const address = server.address()
  if (typeof address === 'object' && address !== null) return address.port
  throw new Error('the server does not listen on a port')
}

async function closed(server: Server): Promise<void> {
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
}
