import { once } from 'node:events'
import { createServer } from 'node:http'

/** Serves on a free port for as long as the visit takes. `ask` is `fetch` with the rest of the address. */
export async function visit(listener, go) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  try {
    return await go((path = '/', options = {}) => fetch(`http://127.0.0.1:${port}${path}`, options))
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

/** The statuses of this many equal requests, one after the other. */
export async function statuses(ask, count, path, options) {
  const seen = []
  for (let i = 0; i < count; i++) seen.push((await ask(path, options)).status)
  return seen
}
