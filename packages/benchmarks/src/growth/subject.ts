import {
  createLimiter,
  fixedWindow,
  gcra,
  memoryStore,
  redisStore,
  slidingLog,
  slidingWindow,
  type Clock,
  type Policy,
  type Store,
} from '@sluice/core'
import type { Redis } from 'ioredis'
import { asynchronous, synchronous, type Decider } from '../memory/contender.js'
import { bareMap } from '../memory/yardstick.js'

/** The size of a measured limiter. */
export interface Size {
  /** The name of the limiter. Limiters with different names have separate counts. */
  readonly name: string
  readonly keys: number
  /** The number of policies in the limiter. */
  readonly policies: number
  readonly limit: number
}

/** A limiter, or a yardstick, that a line of a plot measures. */
export interface Subject {
  readonly decider: Decider
  /** The same limiter at another time. Absent if the time makes no difference. */
  at?(now: number): Decider
}

export const windowMs = 3_600_000

/** The yardstick: the least work that counting takes, once for each policy. */
export const floor = 'floor'

/** Opens the subject of a line: `floor`, or the name of a builder. */
export async function subjectOf(line: string, size: Size, client?: Redis): Promise<Subject> {
  if (line !== floor) return limiterOf(policyOf(line, size.limit), size, client)
  if (client === undefined) return { decider: await maps(size) }
  return { decider: incrs(client, size) }
}

async function maps({ policies, limit, keys }: Size): Promise<Decider> {
  const all: Decider[] = []
  for (let i = 0; i < policies; i++) all.push(await bareMap.open({ limit, windowMs, keys }))
  return synchronous(
    (key) => {
      let allowed = true
      for (const { decide } of all) allowed = decide(key) === true && allowed
      return allowed
    },
    (allowed) => allowed,
  )
}

function incrs(client: Redis, { name, policies, limit }: Size): Decider {
  if (policies === 1) {
    return asynchronous(
      (key) => client.incr(`${name}:0:{${key}}`),
      (count) => count <= limit,
    )
  }
  return asynchronous(
    (key) => {
      const pipeline = client.pipeline()
      for (let i = 0; i < policies; i++) pipeline.incr(`${name}:${i}:{${key}}`)
      return pipeline.exec()
    },
    (counts) => counts?.every(([, count]) => Number(count) <= limit) === true,
  )
}

function limiterOf(policy: Policy, { name, policies: count, keys }: Size, client?: Redis): Subject {
  const names = Array.from({ length: count }, (_, i) => `p${i}`)
  const policies = Object.fromEntries(names.map((name) => [name, policy]))
  const maxKeys = 2 * keys * count
  const store: Store =
    client === undefined ? memoryStore({ maxKeys }) : redisStore(client, { timeout: '30s' })
  return {
    decider: deciderOf({ name, policies, store }),
    at: (now) => deciderOf({ name, policies, store, clock: () => now }),
  }
}

interface Parts {
  readonly name: string
  readonly policies: Readonly<Record<string, Policy>>
  readonly store: Store
  readonly clock?: Clock
}

function deciderOf(parts: Parts): Decider {
  const limiter = createLimiter(parts)
  if (parts.store.async)
    return asynchronous(
      async (key) => limiter.consume(key),
      ({ allowed }) => allowed,
    )
  return synchronous(
    (key) => limiter.consume(key),
    (decision) => 'allowed' in decision && decision.allowed,
  )
}

function policyOf(builder: string, limit: number): Policy {
  const window = windowMs
  switch (builder) {
    case 'fixedWindow':
      return fixedWindow({ limit, window })
    case 'slidingWindow':
      return slidingWindow({ limit, window })
    case 'slidingLog':
      return slidingLog({ limit, window })
    case 'gcra':
      return gcra({ limit, window })
    default:
      throw new Error(`there is no line ${builder}`)
  }
}
