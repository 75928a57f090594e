import { once } from 'node:events'
import { createServer } from 'node:http'

/** Serves on a free port during the visit. `ask` is `fetch` with a path. */
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

/** The statuses of equal requests, one after the other. */
export async function statuses(ask, count, path, options) {
  const seen = []
  for (let i = 0; i < count; i++) seen.push((await ask(path, options)).status)
  return seen
}

/** Waits until this many responses are compared: the server counts the last one a moment after its client has read it. */
export async function compares(compared, count) {
  const { same, stricter, looser } = compared
  if (same + stricter + looser >= count) return compared
  await new Promise((resolve) => setTimeout(resolve, 5))
  return compares(compared, count)
}

/** The rate limit headers of a response, by their lower-case names. */
export function limitHeaders(response) {
  const names = /^(?:x-)?rate-?limit|^retry-after/
  return Object.fromEntries([...response.headers].filter(([name]) => names.test(name)))
}
