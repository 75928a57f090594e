// One of several processes that consume for the same keys at once. It receives its task as JSON and sends its result as a message.
import process from 'node:process'
import { randomFrom } from '@sluice/test-kit/random'
import { createLimiter, type Keys } from '@sluice/core'
import { pairs, policies } from './policies.js'
import { connect, type Shared } from './servers.js'

/** The task of a worker. */
export interface Task {
  readonly name: string
  readonly policy: string
  readonly server: Shared
  readonly decisions: number
  /** The time after which the worker begins no decision. */
  readonly until: number
  readonly seed: number
}

/** The result of a worker: the number of requests and of allowed ones for each key, and the number of decisions without the server. */
export interface Tally {
  readonly asked: Readonly<Record<string, number>>
  readonly allowed: Readonly<Record<string, number>>
  readonly local: number
  readonly withoutServer: number
}

const hotKeys = 4
const tailKeys = 20_000
const inFlight = 64

async function work(task: Task): Promise<Tally> {
  const { store, disconnect } = connect(task.server)
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
  let withoutServer = 0

  async function ask(): Promise<void> {
    while (left-- > 0 && Date.now() < task.until) {
      const [key, keys] = keysFor(task.policy, random)
      asked[key] = (asked[key] ?? 0) + 1
      const decision = await limiter.consume(keys)
      if (decision.allowed) allowed[key] = (allowed[key] ?? 0) + 1
      if (decision.source === 'local') local++
      else if (decision.source !== 'store') withoutServer++
    }
  }

  await Promise.all(Array.from({ length: inFlight }, ask))
  await disconnect()
  return { asked, allowed, local, withoutServer }
}

/** The name of a count, and its key. A pair of keys has two counts: by its keys in the one order and in the other, so that calls lock the rows in both orders. */
function keysFor(policy: string, random: () => number): [name: string, keys: Keys] {
  const key = keyFor(random)
  if (policy !== pairs) return [key, key]
  const both = [`${key} a`, `${key} b`]
  const [window, log] = random() < 0.5 ? both : both.toReversed()
  return [`${window}, ${log}`, { window, log }]
}

/** Half of the requests go to a few hot keys, the others to a tail by Zipf's law. */
function keyFor(random: () => number): string {
  if (random() < 0.5) return `hot ${Math.floor(random() * hotKeys)}`
  return `tail ${Math.floor(tailKeys ** random())}`
}

const [, , text] = process.argv
const task: Task = JSON.parse(text)
process.send?.(await work(task))
