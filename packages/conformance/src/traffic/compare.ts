import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  createLimiter,
  memoryStore,
  SluiceError,
  type AsyncStore,
  type Decision,
  type Limiter,
  type Policy,
} from '@sluice/core'
import { longestStepMs, type Command, type Name, type Scenario } from './scenarios.js'
import { costOf, moved, nothingSaid, type Move, type Said } from './traffic.js'

/** The first call that a store answers in another way than memory. */
export interface Difference {
  readonly index: number
  readonly command: Command
  readonly now: number
  readonly inMemory: unknown
  readonly inStore: unknown
}

/**
 * Sends the same traffic of all verbs to a limiter in memory and to one over the store, and compares the answers in every field. The clock of the
 * traffic is virtual, so Redis keeps expired state for a day.
 */
export async function compareStores(
  { policies: pairs, start, commands }: Scenario,
  store: AsyncStore,
): Promise<Difference | undefined> {
  let now = start
  const policies = { default: pairs.default[0], b: pairs.b[0], c: pairs.c[0] }
  const changed = { default: pairs.default[1], b: pairs.b[1], c: pairs.c[1] }
  const options = { name: randomUUID(), policies, clock: () => now }
  const memory = { decisions: [], ...createLimiter({ ...options, store: memoryStore() }) }
  const other = { decisions: [], ...createLimiter({ ...options, store }) }
  let earliest = 0
  let last = nothingSaid
  for (const [index, command] of commands.entries()) {
    now = timeAfter(now, earliest, command.time, last)
    earliest = Math.max(earliest, now - longestStepMs)
    const inMemory = await answer(memory, command, changed, last)
    const inStore = await answer(other, command, changed, last)
    if (!isDeepStrictEqual(inStore, inMemory)) return { index, command, now, inMemory, inStore }
    last = said(memory.decisions.at(-1)) ?? last
  }
  return undefined
}

/** A limiter, and its decisions that can be refunded. */
interface Player extends Limiter {
  readonly decisions: Decision[]
}

function timeAfter(now: number, earliest: number, time: number | Move, last: Said): number {
  if (typeof time === 'number') return Math.max(earliest, now - time)
  return moved(now, time, 1000, last)
}

/** The id of a lease is random. All other fields must be equal. */
function plain({ lease, ...decision }: Decision) {
  return { ...decision, token: lease?.token }
}

/** The numbers on which the next request may depend. Undefined for a decision without policies. */
function said(decision: Decision | undefined): Said | undefined {
  const verdict = Object.values(decision?.policies ?? {}).at(0)
  return verdict && { ...verdict, remaining: decision?.remaining ?? 0 }
}

/** The answer of a call, or the code of its error: a penalty may be too large for one of the policies. */
async function answer(...call: Parameters<typeof run>): Promise<unknown> {
  try {
    return await run(...call)
  } catch (error) {
    if (error instanceof SluiceError) return error.code
    throw error
  }
}

async function run(
  { decisions, ...limiter }: Player,
  { verb, cost: share, isOneCost, keys, isChanged, owner, dice }: Command,
  changed: Readonly<Record<Name, Policy>>,
  last: Said,
): Promise<unknown> {
  const cost = costOf(share, 3, last)
  const choice = isChanged ? { policies: changed } : {}
  const name = Object.keys(changed)[dice]
  /** For a verb that changes what a key has: half of the calls change one policy only. */
  const change = { ...choice, ...(name !== undefined && { policy: name }) }
  // A policy that the record leaves out costs 1.
  const costs = isOneCost ? cost : { default: cost, b: dice }
  const asked = { key: keys, cost: costs, ...choice }
  switch (verb) {
    case 'consume': {
      const options = owner === undefined ? { cost: costs } : { cost: costs, owner }
      decisions.push(await limiter.consume(keys, { ...options, ...choice }))
      return decisions.slice(-1).map(plain)
    }
    case 'consumeMany':
      decisions.push(...(await limiter.consumeMany([asked, { key: 'bob' }, asked])))
      return decisions.slice(-3).map(plain)
    case 'peek':
      return limiter.peek(keys, { cost: costs, ...choice })
    case 'peekMany':
      return limiter.peekMany([asked, { key: 'bob' }])
    case 'refund': {
      const decision = decisions.at(-1 - dice)
      return decision && limiter.refund(decision)
    }
    case 'refundSome': {
      const decision = decisions.at(-1 - (dice % 3))
      const policies = Object.keys(decision?.policies ?? {}).filter((_, i) => (dice >> i) % 2 === 1)
      return decision && limiter.refund(decision, { policies })
    }
    case 'adjust': {
      const decision = decisions.at(-1 - (dice % 3))
      const names = Object.keys(decision?.policies ?? {}).slice(0, 2)
      const byName = Object.fromEntries(names.map((name, i) => [name, cost + i * dice]))
      return decision && limiter.adjust(decision, isOneCost ? cost : byName)
    }
    case 'release':
      return decisions.at(-1 - dice)?.lease?.release()
    case 'renew':
      return decisions.at(-1 - dice)?.lease?.renew()
    case 'refundUnits':
      return limiter.refund(keys, cost, change)
    case 'penalize':
      return limiter.penalize(keys, cost, change)
    case 'block':
      return limiter.block(keys, 1 + 700 * dice, change)
    case 'unblock':
      return limiter.unblock(keys, change)
    case 'exempt':
      return limiter.exempt(keys, 1 + 700 * dice, change)
    case 'unexempt':
      return limiter.unexempt(keys, change)
    case 'grant':
      return limiter.grant(keys, cost, { for: 1 + 1400 * dice, ...change })
    case 'ungrant':
      return limiter.ungrant(keys, change)
    case 'reset':
      return limiter.reset(keys, { unblock: dice > 2, ...change })
    case 'status':
      return limiter.status(keys, choice)
  }
}
