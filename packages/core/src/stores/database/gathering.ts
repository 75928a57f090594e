import { processTime } from '../../clock.js'
import { checkPhase } from '../pipeline/check-phase.js'
import type { Item } from './groups.js'

/** The most requests, and the most rows, of one call. Requests for rows that are in the call already always join it. */
const mostRequests = 256
export const mostRows = 256

/** A smaller share of the requests that wait is not worth a call of its own. */
const fewestRequests = 16

/** The most calls at the same time, so that the store never needs more connections of a pool. */
const mostCalls = 4

/** While fewer calls are under way, each of them takes a share of the requests that wait. */
const shares = 2

/** A call without a reply no longer counts after this time: a client that never settles it must not prevent recovery. */
const forgottenAfterMs = 30_000

/** Requests that were sent together. */
interface DatabaseCall {
  readonly sentAt: number
  /** The number of requests that have not been answered. */
  open: number
  /** Whether the database still works on it. */
  isRunning: boolean
  /** Whether a request took too long. The call then has a connection of a pool until the database replies. */
  hasExpired: boolean
}

/**
 * Gathers the requests of all sockets and limiters of a store. If nothing is under way, a request is sent immediately, otherwise in the check phase of the event
 * loop. At most one call at a time is about a row, so that a process does not conflict with itself: requests for a row that is under way wait, and go together.
 */
export interface Gathering {
  add(items: readonly Item[]): void
  /** Notes that requests have taken too long, before they are answered with an error. */
  expire(items: readonly Item[]): void
  /** Ends requests that have been answered: others about their rows can be sent. */
  end(items: readonly Item[]): void
}

export function createGathering(send: (items: readonly Item[]) => Promise<void>): Gathering {
  let waiting: Item[] = []
  const callOf = new Map<Item, DatabaseCall>()
  const calls = new Set<DatabaseCall>()
  /** For each row under way, the number of requests that have not been answered. */
  const busy = new Map<string, number>()
  let isScheduled = false

  /** Whether there are as many calls as may be. */
  function isFull(): boolean {
    if (calls.size < mostCalls) return false
    const now = processTime.monotonic()
    for (const call of calls) if (now - call.sentAt >= forgottenAfterMs) calls.delete(call)
    return calls.size >= mostCalls
  }

  function leave(call: DatabaseCall): void {
    if (call.open === 0 && !(call.hasExpired && call.isRunning)) calls.delete(call)
  }

  function schedule(): void {
    if (isScheduled || waiting.length === 0 || isFull()) return
    isScheduled = true
    checkPhase(sendSome)
  }

  function sendSome(): void {
    isScheduled = false
    const open = waiting.filter(({ pending }) => !pending.isAnswered)
    const free = Math.max(1, Math.min(mostCalls - calls.size, shares))
    const most = Math.min(mostRequests, Math.max(fewestRequests, Math.ceil(open.length / free)))
    const chosen: Item[] = []
    const own = new Set<string>()
    /** The rows of requests that wait. Later requests about them must not overtake. */
    const behind = new Set<string>()
    waiting = []
    for (const item of open) {
      const { keys } = item
      // The first request always goes: several of its policies can have one row.
      const isEnough =
        chosen.length > 0 && (chosen.length >= most || own.size + keys.length > mostRows)
      const joins = keys.every((key) => own.has(key))
      if ((isEnough && !joins) || keys.some((key) => busy.has(key) || behind.has(key))) {
        for (const key of keys) behind.add(key)
        waiting.push(item)
      } else {
        chosen.push(item)
        for (const key of keys) own.add(key)
      }
    }
    if (chosen.length === 0) return
    start(chosen)
    schedule()
  }

  function start(items: readonly Item[]): void {
    const sentAt = processTime.monotonic()
    const call: DatabaseCall = { sentAt, open: items.length, isRunning: true, hasExpired: false }
    calls.add(call)
    for (const item of items) {
      callOf.set(item, call)
      for (const key of item.keys) busy.set(key, (busy.get(key) ?? 0) + 1)
    }
    void sent(items, call)
  }

  async function sent(items: readonly Item[], call: DatabaseCall): Promise<void> {
    await send(items)
    call.isRunning = false
    leave(call)
    schedule()
  }

  function free(key: string): void {
    const count = (busy.get(key) ?? 0) - 1
    if (count > 0) busy.set(key, count)
    else busy.delete(key)
  }

  return {
    add(items) {
      for (const item of items) waiting.push(item)
      if (calls.size === 0 && !isScheduled) sendSome()
      else schedule()
    },

    expire(items) {
      for (const item of items) {
        const call = callOf.get(item)
        if (call !== undefined) call.hasExpired = true
      }
    },

    end(items) {
      for (const item of items) {
        const call = callOf.get(item)
        // It was answered before it was sent.
        if (call === undefined) continue
        callOf.delete(item)
        for (const key of item.keys) free(key)
        call.open--
        leave(call)
      }
      schedule()
    },
  }
}
