import { once } from 'node:events'
import { createLimiter, redisStore, type Policy } from '@sluice/core'
import { Redis } from 'ioredis'

/** The task of a worker, as JSON in its first argument. */
export interface Rush {
  readonly port: number
  readonly name: string
  readonly policy: Policy
  readonly requests: number
}

const { port, name, policy, requests } = JSON.parse(process.argv[2] ?? '') as Rush
const client = new Redis(port, '127.0.0.1')
const store = redisStore(client, { timeout: '20s' })
const limiter = createLimiter({ name, policies: policy, store })
await client.ping()

// All workers begin together. Otherwise the first would finish before the last has started.
process.send?.('ready')
await once(process, 'message')
const decisions = await Promise.all(Array.from({ length: requests }, () => limiter.consume('key')))
process.send?.(decisions.filter(({ allowed }) => allowed).length)
await client.quit()
process.disconnect()
