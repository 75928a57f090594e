import { once } from 'node:events'
import type { Server } from 'node:net'

/** The port of a server that listens on a free port. */
export async function portOf(server: Server): Promise<number> {
  if (!server.listening) await once(server, 'listening')
  const address = server.address()
  if (typeof address === 'object' && address !== null) return address.port
  throw new Error('the server listens on no port')
}
