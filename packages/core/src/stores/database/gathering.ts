import { checkPhase } from '../pipeline/check-phase.js'
import type { Item } from './groups.js'

/** The most requests, and the most rows, of one call. Requests for rows that are in the call already always join it. */
const mostRequests = 256
const mostRows = 256

/** A smaller share of the requests that wait is not worth a call of its own. */
const fewestRequests = 16

/** The most calls at the same time, so that the store never needs more connections of a pool. */
const mostCalls = 4

/** While fewer calls are under way, each of them takes a share of the requests that wait. */
const shares = 2

/** Requests that were sent together. */
interface Call {
  open: number
}

/**
 * Gathers the requests of all sockets and limiters of a store. If nothing is under way, a request is sent immediately, otherwise in the check phase of the event
 * loop. At most one call at a time is about a row, so that a process does not conflict with itself: requests for a row that is under way wait, and go together.
 */
export interface Gathering {
  add(items: readonly Item[]): void
  /** Ends requests that have been answered: others about their rows can be sent. */
  end(items: readonly Item[]): void
}

export function createGathering(send: (items: readonly Item[]) => void): Gathering {
  let waiting: Item[] = []
  const calls = new Map<Item, Call>()
  /** For each row under way, the number of requests that have not been answered. */
  const busy = new Map<string, number>()
  let underWay = 0
  let isScheduled = false

  function schedule(): void {
    if (isScheduled || waiting.length === 0 || underWay >= mostCalls) return
    isScheduled = true
    checkPhase(sendSome)
  }

  function sendSome(): void {
    isScheduled = false
    const open = waiting.filter(({ isAnswered }) => !isAnswered)
    const free = Math.max(1, Math.min(mostCalls - underWay, shares))
    const most = Math.min(mostRequests, Math.max(fewestRequests, Math.ceil(open.length / free)))
    const chosen: Item[] = []
    const own = new Set<string>()
    /** The rows of requests that wait. Later requests about them must not overtake. */
    const behind = new Set<string>()
    waiting = []
    for (const item of open) {
      const { keys } = item
      const isFull = chosen.length >= most || own.size + keys.length > mostRows
      const joins = keys.every((key) => own.has(key))
      if ((isFull && !joins) || keys.some((key) => busy.has(key) || behind.has(key))) {
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
    const call = { open: items.length }
    underWay++
    for (const item of items) {
      calls.set(item, call)
      for (const key of item.keys) busy.set(key, (busy.get(key) ?? 0) + 1)
    }
    send(items)
  }

  function free(key: string): void {
    const count = (busy.get(key) ?? 0) - 1
    if (count > 0) busy.set(key, count)
    else busy.delete(key)
  }

  return {
    add(items) {
      for (const item of items) waiting.push(item)
      if (underWay === 0 && !isScheduled) sendSome()
      else schedule()
    },

    end(items) {
      for (const item of items) {
        const call = calls.get(item)
        // It was answered before it was sent.
        if (call === undefined) continue
        calls.delete(item)
        for (const key of item.keys) free(key)
        if (--call.open === 0) underWay--
      }
      schedule()
    },
  }
}
