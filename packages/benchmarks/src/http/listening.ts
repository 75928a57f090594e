import { once } from 'node:events'
import type { Server } from 'node:net'

/** The port of a server that has been told to listen on a free one. */
export async function portOf(server: Server): Promise<number> {
  if (!server.listening) await once(server, 'listening')
  const address = server.address()
  if (typeof address === 'object' && address !== null) return address.port
  throw new Error('the server listens on no port')
}
