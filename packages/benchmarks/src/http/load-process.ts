import autocannon from 'autocannon'
import { isReading } from '../processes/reading.js'
import { serve } from '../processes/serve.js'

// Simulates the clients. The work is the port of the server and a load. The connections are divided between the addresses.

serve(async (work) => {
  const load: unknown = JSON.parse(work)
  if (!isReading(load)) throw new Error(`${work} is not a load`)
  const { port, connections, addresses, requests, seconds } = load
  let next = 0
  const startedAt = performance.now()
  const { '2xx': allowed, statusCodeStats } = await autocannon({
    url: `http://127.0.0.1:${port}/`,
    connections,
    ...(requests === undefined ? { duration: seconds } : { amount: requests }),
    // The interval in ms between two checks whether all requests are done.
    sampleInt: 20,
    setupClient(client) {
      const address = next++ % addresses
      client.setHeaders({ 'x-forwarded-for': `10.0.${address >> 8}.${address & 255}` })
    },
  })
  const denied = statusCodeStats?.['429']?.count ?? 0
  return { allowed, denied, seconds: (performance.now() - startedAt) / 1000 }
})
