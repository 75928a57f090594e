// One of several processes that ask for the same keys at once. Started by main.ts, with what it is to do as JSON; answers by a message.
import process from 'node:process'
import { randomFrom } from '@sluice/conformance/random'
import { createLimiter, redisStore } from '@sluice/core'
import { Cluster, Redis } from 'ioredis'
import { policies } from './policies.js'

/** What a worker is told. */
export interface Task {
  readonly name: string
  readonly policy: string
  readonly ports: readonly number[]
  readonly isCluster: boolean
  readonly decisions: number
  readonly seed: number
}

/** What it tells: by key, how often it asked and was admitted; and how often something else than Redis decided. */
export interface Tally {
  readonly asked: Readonly<Record<string, number>>
  readonly admitted: Readonly<Record<string, number>>
  readonly local: number
  readonly away: number
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
  const admitted: Record<string, number> = {}
  const random = randomFrom(task.seed)
  let left = task.decisions
  let local = 0
  let away = 0

  async function ask(): Promise<void> {
    while (left-- > 0) {
      const key = keyFor(random)
      asked[key] = (asked[key] ?? 0) + 1
      const { allowed, source } = await limiter.consume(key)
      if (allowed) admitted[key] = (admitted[key] ?? 0) + 1
      if (source === 'local') local++
      else if (source !== 'store') away++
    }
  }

  await Promise.all(Array.from({ length: inFlight }, ask))
  client.disconnect()
  return { asked, admitted, local, away }
}

/** Half of the requests go to a few hot keys, the others to a tail by Zipf's law. */
function keyFor(random: () => number): string {
  if (random() < 0.5) return `hot ${Math.floor(random() * hotKeys)}`
  return `tail ${Math.floor(tailKeys ** random())}`
}

const [, , text] = process.argv
const task: Task = JSON.parse(text)
process.send?.(await work(task))
