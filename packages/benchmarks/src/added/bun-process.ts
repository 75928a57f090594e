import { honoApplications, type Fetch } from '../http/hono.js'
import { inTurnsOf } from './turns.js'

// Runs on Bun. Measures the CPU time of a request with each limiter of Hono, as `process.ts` does it on Node. The address is that of a proxy, as a server of Bun
// reports it.

class Server {
  requestIP(): { readonly address: string } {
    return { address: '127.0.0.1' }
  }
}

const server = new Server()
const addresses = 64

inTurnsOf(async (setup) => {
  const applications = await honoApplications(setup)
  return applications.map(({ name, fetch }) => ({
    name,
    measure: async (requests) => microsecondsOf(fetch, requests),
  }))
})

/** The CPU time of one of so many requests, in microseconds. All must be allowed. */
async function microsecondsOf(fetch: Fetch, requests: number): Promise<number> {
  const made = Array.from(
    { length: requests },
    (_, i) =>
      new Request('http://localhost/', {
        headers: { 'x-forwarded-for': `10.0.0.${i % addresses}` },
      }),
  )
  const before = process.cpuUsage()
  for (const request of made) {
    const { status } = await fetch(request, server)
    if (status !== 200) throw new Error(`a request got ${status}`)
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / requests
}
