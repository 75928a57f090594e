import { createServerClock, processTime } from '../../clock.js'
import { sluiceError, type SluiceError } from '../../errors.js'
import { rowKeys } from '../../keys.js'
import { storeEvents } from '../events.js'
import { batchOf, type PendingRequest } from '../pending.js'
import { createPings } from '../pipeline/pings.js'
import type { Notes, Transport } from '../pipeline/pipeline.js'
import { checkPhase } from '../pipeline/check-phase.js'
import type { Answer, LimiterPolicy, StoreRequest } from '../store.js'
import type { Database } from './database.js'
import { createGathering, mostRows } from './gathering.js'
import { Item } from './groups.js'
import { RememberedRows } from './remembered-rows.js'
import { createRounds } from './rounds.js'

/** The time for which a refund is tried, although nobody waits for it. */
const refundMs = 30_000

export interface TransportSettings {
  readonly prefix: string
  readonly timeout: number
  readonly rememberedRows: number
}

/** Decides the requests by the rows of a database, and saves those rows. */
export function databaseTransport(
  database: Database,
  { prefix, timeout, rememberedRows }: TransportSettings,
): (notes: Notes) => Transport {
  const { name } = database
  const keysOf = createKeys(prefix)

  return ({ begin, arrive, noteReply }) => {
    const gathering = createGathering(send)
    const run = createRounds({
      database,
      clock: createServerClock(-Infinity),
      remembered: new RememberedRows(rememberedRows),
      noteReply,
      lateError,
      settle,
    })
    /** The requests that have not been answered. */
    const items = new Map<PendingRequest, Item>()
    let added: Item[] = []
    /** Calls of `settle` that have to wait for the check phase, because the requests were sent since the last one. Undefined outside of that time. */
    let early: (() => void)[] | undefined

    function send(sent: readonly Item[]): Promise<void> {
      if (early === undefined) {
        early = []
        checkPhase(() => {
          const calls = early ?? []
          early = undefined
          for (const call of calls) call()
        })
      }
      if (storeEvents.storeCall.hasSubscribers) {
        const call = batchOf(sent.map((item) => item.pending))
        for (const item of sent) item.pending.call = call
      }
      return run(sent)
    }

    /** A database in this process replies at once. A caller that retries until it is allowed must not block the event loop. */
    function settle(settled: readonly Item[], answers: readonly Answer[]): void {
      const pending = settled.map((item) => item.pending)
      if (early === undefined) arrive(pending, answers)
      else early.push(() => arrive(pending, answers))
    }

    function lateError({ hasConflicted }: Item): SluiceError {
      return hasConflicted
        ? sluiceError('SLUICE_STORE_CONTENDED', name, timeout)
        : sluiceError('SLUICE_STORE_TIMEOUT', name, timeout)
    }

    function wideError(): SluiceError {
      const reason = `a request has more than ${mostRows} keys`
      return sluiceError('SLUICE_STORE_FAILED', name, reason)
    }

    function itemsOf(pending: readonly PendingRequest[]): Item[] {
      return pending.flatMap((one) => items.get(one) ?? [])
    }

    async function isThere(): Promise<boolean> {
      try {
        await database.load([])
        return true
      } catch {
        return false
      }
    }

    return {
      add(pending) {
        const isRefund = pending.request.verb === 'refundReceipt'
        const dueAt = processTime.monotonic() + (isRefund ? refundMs : timeout)
        const item = new Item(pending, keysOf(pending.request), dueAt)
        items.set(pending, item)
        added.push(item)
      },

      flush() {
        const all = added
        added = []
        if (all.length === 0) return
        begin(all.map((item) => item.pending))
        const wide = all.filter(hasTooManyRows)
        if (wide.length > 0) settle(wide, wide.map(wideError))
        gathering.add(all.filter((item) => !wide.includes(item)))
      },

      expire(late) {
        const own = itemsOf(late)
        gathering.expire(own)
        return own.map(lateError)
      },

      end(pending) {
        gathering.end(itemsOf(pending))
        for (const one of pending) items.delete(one)
      },

      ping: createPings(1, isThere),
      close: async () => database.close?.(),
    }
  }
}

function hasTooManyRows({ keys }: Item): boolean {
  return keys.length > mostRows && new Set(keys).size > mostRows
}

/** Makes the function that names the rows of a request. */
function createKeys(prefix: string): (request: StoreRequest) => readonly string[] {
  const namers = new WeakMap<readonly LimiterPolicy[], (key: string) => string>()
  return function keysOf({ policies, keys }) {
    let nameOf = namers.get(policies)
    if (nameOf === undefined) {
      nameOf = rowKeys(prefix, policies[0].limiter)
      namers.set(policies, nameOf)
    }
    // A policy that counts nothing has no row: it reads that of another one.
    const counting = policies.findIndex(({ quota }) => quota !== Infinity)
    const only = keys[Math.max(0, counting)]
    const first = nameOf(only)
    // Most requests have one key for all policies.
    return keys.map((key, i) =>
      key === only || policies[i].quota === Infinity ? first : nameOf(key),
    )
  }
}
