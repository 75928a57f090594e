// One of several processes that consume for the same keys at once. It receives its task as JSON and sends its result as a message.
import process from 'node:process'
import { randomFrom } from '@sluice/conformance/random'
import { createLimiter, redisStore } from '@sluice/core'
import { Cluster, Redis } from 'ioredis'
import { policies } from './policies.js'

/** The task of a worker. */
export interface Task {
  readonly name: string
  readonly policy: string
  readonly ports: readonly number[]
  readonly isCluster: boolean
  readonly decisions: number
  /** The time after which the worker begins no decision. */
  readonly until: number
  readonly seed: number
}

/** The result of a worker: the number of requests and of allowed ones for each key, and the number of decisions without Redis. */
export interface Tally {
  readonly asked: Readonly<Record<string, number>>
  readonly allowed: Readonly<Record<string, number>>
  readonly local: number
  readonly withoutRedis: number
}

const hotKeys = 4
const tailKeys = 20_000
const inFlight = 64

async function work(task: Task): Promise<Tally> {
  const nodes = task.ports.map((port) => ({ host: '127.0.0.1', port }))
  const client = task.isCluster ? new Cluster(nodes) : new Redis(task.ports[0], '127.0.0.1')
  const store = redisStore(client, { timeout: '60s' })
  const limiter = createLimiter({
    name: task.name,
    policies: policies[task.policy],
    store,
    onStoreError: 'deny',
  })
  const asked: Record<string, number> = {}
  const allowed: Record<string, number> = {}
  const random = randomFrom(task.seed)
  let left = task.decisions
  let local = 0
  let withoutRedis = 0

  async function ask(): Promise<void> {
    while (left-- > 0 && Date.now() < task.until) {
      const key = keyFor(random)
      asked[key] = (asked[key] ?? 0) + 1
      const decision = await limiter.consume(key)
      if (decision.allowed) allowed[key] = (allowed[key] ?? 0) + 1
      if (decision.source === 'local') local++
      else if (decision.source !== 'store') withoutRedis++
    }
  }

  await Promise.all(Array.from({ length: inFlight }, ask))
  client.disconnect()
  return { asked, allowed, local, withoutRedis }
}

/** Half of the requests go to a few hot keys, the others to a tail by Zipf's law. */
function keyFor(random: () => number): string {
  if (random() < 0.5) return `hot ${Math.floor(random() * hotKeys)}`
  return `tail ${Math.floor(tailKeys ** random())}`
}

const [, , text] = process.argv
const task: Task = JSON.parse(text)
process.send?.(await work(task))
