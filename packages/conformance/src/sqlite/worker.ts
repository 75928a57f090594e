import { once } from 'node:events'
import { createLimiter, type Policies } from '@sluice/core'
import { sqliteStore } from '@sluice/sqlite'
import { sqliteDrivers } from '@sluice/test-kit/sqlite'

/** The task of a worker, as JSON in its first argument. */
export interface Work {
  readonly file: string
  readonly name: string
  readonly policies: Policies
  readonly decisions: number
  readonly inFlight: number
  /** The keys. Decision number n is about key n, and starts over after the last. With several policies, each is a key for each of them. */
  readonly keys: readonly (string | Readonly<Record<string, string>>)[]
}

/** The result of a worker. */
export interface Done {
  readonly allowed: number
  /** The number of decisions that SQLite made. */
  readonly byStore: number
  /** The time of each decision in milliseconds, sorted. */
  readonly times: readonly number[]
}

const work = JSON.parse(process.argv[2] ?? '') as Work
const [driver] = sqliteDrivers()
const connection = driver.open(work.file)
const store = sqliteStore(connection, { timeout: '60s' })
const { name, policies } = work
const limiter = createLimiter({ name, policies, store, onStoreError: 'deny', denyCache: false })
await limiter.peek(work.keys[0])

// All workers begin together. Otherwise the first would finish before the last has started.
process.send?.('ready')
await once(process, 'message')

const times: number[] = []
let allowed = 0
let byStore = 0
let next = 0

async function decide(): Promise<void> {
  while (next < work.decisions) {
    const key = work.keys[next++ % work.keys.length]
    const startedAt = performance.now()
    const decision = await limiter.consume(key)
    times.push(performance.now() - startedAt)
    if (decision.allowed) allowed++
    if (decision.source === 'store') byStore++
  }
}

await Promise.all(Array.from({ length: work.inFlight }, decide))
const done: Done = { allowed, byStore, times: times.toSorted((a, b) => a - b) }
connection.close()
process.send?.(done, () => process.disconnect())
