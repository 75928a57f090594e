import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'

/** Listens on a free port of the loopback interface and returns the port. */
export async function portOf(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address === 'object' && address !== null) return address.port
  throw new Error('the server listens on no port')
}
