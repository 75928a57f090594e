import { createServerClock, processTime } from '../../clock.js'
import { sluiceError, type SluiceError } from '../../errors.js'
import { rowKeys } from '../../keys.js'
import { PendingRequest, storeOf } from '../pending.js'
import { Breaker } from '../pipeline/breaker.js'
import { checkPhase, createDeadlines } from '../pipeline/deadlines.js'
import { DenyCache } from '../pipeline/deny-cache.js'
import { createPings } from '../pipeline/pings.js'
import {
  refundOf,
  type Answer,
  type AsyncStore,
  type BoundPolicy,
  type StoreRequest,
} from '../store.js'
import type { Database } from './database.js'
import { createGathering } from './gathering.js'
import { Item } from './groups.js'
import { RememberedRows } from './remembered-rows.js'
import { createRounds } from './rounds.js'

/** The time for which a refund is tried, although nobody waits for it. */
const refundMs = 30_000

export interface PipelineSettings {
  readonly prefix: string
  readonly timeout: number
  readonly rememberedRows: number
}

/**
 * The way of each request to the database, and of its answer back. A request is denied by a remembered denial, or fails because the breaker is open, or is sent
 * together with others. It is answered at the latest when the timeout is over.
 */
export function createPipeline(database: Database, settings: PipelineSettings): AsyncStore {
  const { prefix, timeout, rememberedRows } = settings
  const { name } = database
  const keysOf = createKeys(prefix)
  const denials = new DenyCache()
  const breaker = new Breaker(name, pingInTime, ask)
  const gathering = createGathering(send)
  const deadlines = createDeadlines<Item>(expire)
  const run = createRounds({
    database,
    clock: createServerClock(-Infinity),
    remembered: new RememberedRows(rememberedRows),
    noteReply: () => breaker.noteReply(),
    lateError,
    settle,
  })
  const ping = createPings(1, isThere)
  /** Calls of `settle` that have to wait for the check phase, because the requests were sent since the last one. Undefined outside of that time. */
  let early: (() => void)[] | undefined
  let expired: Item[] = []
  let isClosed = false

  function enter(pending: readonly PendingRequest[]): void {
    const items: Item[] = []
    for (const one of pending) {
      const answer = isClosed
        ? sluiceError('SLUICE_STORE_CLOSED', name)
        : (denials.recall(one) ?? breaker.refuses())
      if (answer === undefined) items.push(itemOf(one))
      // Not at once, because a caller that retries until it is allowed must not block the event loop.
      else checkPhase(() => one.done(answer))
    }
    if (items.length > 0) add(items)
  }

  function itemOf(pending: PendingRequest): Item {
    const isRefund = pending.request.verb === 'refundReceipt'
    const dueAt = processTime.monotonic() + (isRefund ? refundMs : timeout)
    return new Item(pending, keysOf(pending.request), dueAt)
  }

  function add(items: readonly Item[]): void {
    for (const item of items) deadlines.begin(item, timeout)
    gathering.add(items)
  }

  function send(items: readonly Item[]): Promise<void> {
    if (early === undefined) {
      early = []
      checkPhase(() => {
        const calls = early ?? []
        early = undefined
        for (const call of calls) call()
      })
    }
    return run(items)
  }

  /** A database in this process replies at once. A caller that retries until it is allowed must not block the event loop. */
  function settle(items: readonly Item[], answers: readonly Answer[]): void {
    if (early === undefined) arrive(items, answers)
    else early.push(() => arrive(items, answers))
  }

  function arrive(items: readonly Item[], answers: readonly Answer[]): void {
    const inTime = items.filter(({ isAnswered }) => !isAnswered)
    const kept = answers.filter((_, i) => !items[i].isAnswered)
    const late = items.flatMap((item, i) => (item.isAnswered ? lateRefund(item, answers[i]) : []))
    for (const item of inTime) deadlines.end(item)
    answer(inTime, kept)
    if (late.length > 0) add(late)
  }

  function answer(items: readonly Item[], answers: readonly Answer[]): void {
    if (items.length === 0) return
    const pending = items.map((item) => item.pending)
    breaker.note(pending, answers)
    for (let i = 0; i < items.length; i++) {
      items[i].isAnswered = true
      denials.note(pending[i], answers[i])
    }
    // First, because `done` may add requests.
    gathering.end(items)
    for (let i = 0; i < items.length; i++) pending[i].done(answers[i])
  }

  /** Units that were taken in time, but whose answer was late, are refunded. */
  function lateRefund({ pending: { request } }: Item, given: Answer): Item[] {
    if (request.verb !== 'consume' || !('allowed' in given) || !given.allowed) return []
    return [itemOf(new PendingRequest(refundOf(request, given.states), () => {}))]
  }

  function lateError({ hasConflicted }: Item): SluiceError {
    return hasConflicted
      ? sluiceError('SLUICE_STORE_CONTENDED', name, timeout)
      : sluiceError('SLUICE_STORE_TIMEOUT', name, timeout)
  }

  /** Requests that expire together are one failure of the database, and not one each. */
  function expire(item: Item): void {
    expired.push(item)
    if (expired.length > 1) return
    queueMicrotask(() => {
      const items = expired.filter(({ isAnswered }) => !isAnswered)
      expired = []
      gathering.expire(items)
      answer(items, items.map(lateError))
    })
  }

  /** Sends a request of the breaker's own. */
  function ask(request: StoreRequest, done: (answer: Answer) => void): void {
    add([itemOf(new PendingRequest(request, done))])
  }

  async function isThere(): Promise<boolean> {
    try {
      await database.load([])
      return true
    } catch {
      return false
    }
  }

  /** Resolves to false if the ping is not answered in time. */
  function pingInTime(): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => checkPhase(() => resolve(false)), timeout)
      ping()
        .finally(() => clearTimeout(timer))
        .then(resolve, reject)
    })
  }

  return storeOf(enter, {
    ping: async () => !isClosed && (await pingInTime()) && !breaker.isRefusing,
    async close() {
      isClosed = true
      await database.close?.()
    },
  })
}

/** Makes the function that names the rows of a request. */
function createKeys(prefix: string): (request: StoreRequest) => readonly string[] {
  const namers = new WeakMap<readonly BoundPolicy[], (key: string) => string>()
  return function keysOf({ entries, keys }) {
    let nameOf = namers.get(entries)
    if (nameOf === undefined) {
      nameOf = rowKeys(prefix, entries[0].limiter)
      namers.set(entries, nameOf)
    }
    // Most requests have one key for all policies.
    const first = nameOf(keys[0])
    const names = [first]
    for (let i = 1; i < keys.length; i++) names.push(keys[i] === keys[0] ? first : nameOf(keys[i]))
    return names
  }
}
