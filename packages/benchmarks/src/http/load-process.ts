import autocannon from 'autocannon'
import { isReading } from '../processes/reading.js'
import { serve } from '../processes/serve.js'

// The clients. The work is the server's port, and a load. Each address has some of the connections.

serve(async (work) => {
  const told: unknown = JSON.parse(work)
  if (!isReading(told)) throw new Error(`no load: ${work}`)
  const { port, connections, addresses, requests, seconds } = told
  let next = 0
  const startedAt = performance.now()
  const { '2xx': admitted, statusCodeStats } = await autocannon({
    url: `http://127.0.0.1:${port}/`,
    connections,
    ...(requests === undefined ? { duration: seconds } : { amount: requests }),
    // It looks this often whether it is done.
    sampleInt: 20,
    setupClient(client) {
      const address = next++ % addresses
      client.setHeaders({ 'x-forwarded-for': `10.0.${address >> 8}.${address & 255}` })
    },
  })
  const denied = statusCodeStats?.['429']?.count ?? 0
  return { admitted, denied, seconds: (performance.now() - startedAt) / 1000 }
})
