import { sluiceError, warn } from '../../errors.js'
import {
  optional,
  partOfOne,
  positiveCount,
  readOptions,
  shortDuration,
  type Duration,
} from '../../options/readers.js'
import { letProcessEnd } from '../../runtime.js'
import { PendingRequest, storeOf, submitOf } from '../queue/pending.js'
import {
  contractVersion,
  costAt,
  isDecision,
  refundsOf,
  storeContract,
  type Answer,
  type AsyncStore,
  type DecisionRequest,
  type LimiterPolicy,
  type RefundReceiptRequest,
  type StoreRequest,
} from '../store.js'
import { identityOf, isEligible, isReturned, isSpentAhead, Place, withHeld } from './place.js'

/** Options of `spendAhead`. */
export interface SpendAheadOptions {
  /**
   * The longest time for which units are held, and after which a block, a reset or a new limit of another process is seen.
   *
   * @default '1s'
   */
  readonly maxAge?: Duration | undefined
  /**
   * The largest part of the free units that are taken at once, above 0 and up to 1.
   *
   * @default 0.25
   */
  readonly share?: number | undefined
  /**
   * The number of keys for which units can be held.
   *
   * @default 1000
   */
  readonly maxKeys?: number | undefined
}

/** The numbers of units that a store holds now, and that it has taken, spent and given back since it was made. Lapsed units were neither spent nor given back. */
export interface AheadCounts {
  /** The number of keys for which units are held. */
  readonly keys: number
  readonly held: number
  readonly taken: number
  readonly spent: number
  readonly returned: number
  readonly lapsed: number
}

/** A store that takes units before they are spent. */
export interface AheadStore extends AsyncStore {
  ahead(): AheadCounts
}

/** The pause after a denial, in which each request asks the store. */
const deniedMs = 20

/** The time between two looks for units that were held too long. */
const sweepMs = 250

/**
 * Takes units of hot keys from a store before they are spent, so that most decisions about them need no call. Each unit is spent while the store still counts it, so
 * that all processes together allow no more than the store would. It is for `fixedWindow`, `calendarWindow`, `slidingWindow` with several buckets, `gcra`,
 * `tokenBucket` and `leakyBucket` without blocks. All other requests pass through, and a warning names the policy.
 *
 * @example
 * const store = spendAhead(redisStore(redis))
 * const limiter = createLimiter({ name: 'api', policies: fixedWindow({ limit: 100_000, window: '1m' }), store })
 * @throws SluiceError if the store answers at once, or an option is unknown or out of range
 */
export function spendAhead(store: AsyncStore, options: SpendAheadOptions = {}): AheadStore {
  const { maxAge, share, maxKeys } = readOptions('spendAhead', options, {
    maxAge: optional(shortDuration, 1000),
    share: optional(partOfOne, 0.25),
    maxKeys: optional(positiveCount, 1000),
  })
  if (!store.async) {
    const expected = 'a store that answers with promises: a memory store has nothing to save'
    throw sluiceError('SLUICE_OPTION_INVALID', 'spendAhead', 'store', store, expected)
  }
  const submit = submitOf(store)
  const contract = store[storeContract]
  const places = new Map<string, Place>()
  const counts = { taken: 0, spent: 0, returned: 0, lapsed: 0 }
  let timer: ReturnType<typeof setInterval> | undefined

  /** The place of a request; undefined if its units cannot be taken ahead, or all places hold units. */
  function placeOf(request: DecisionRequest, now: number): Place | undefined {
    if (!isEligible(request)) return undefined
    const id = identityOf(request)
    const known = places.get(id)
    if (known !== undefined) return known
    if (places.size >= maxKeys) {
      const [[oldest, place]] = places
      places.delete(oldest)
      if (place.isInUse) {
        places.set(oldest, place)
        return undefined
      }
    }
    const place = new Place(request, now)
    places.set(id, place)
    return place
  }

  function consume(pending: PendingRequest, request: DecisionRequest): void {
    const now = performance.now()
    const place = placeOf(request, now)
    if (place === undefined) return submit([pending])
    place.demand(costAt(request.cost, 0), now)
    decide(pending, request, place)
  }

  function decide(pending: PendingRequest, request: DecisionRequest, place: Place): void {
    const now = performance.now()
    const cost = costAt(request.cost, 0)
    counts.lapsed += place.lapse(now)
    const states = place.spend(request, now, maxAge)
    const chunk = place.chunk(maxAge, share, now)
    if (states !== undefined) {
      counts.spent += cost
      if (place.held < chunk / 4 && !place.isAsking) fill(place, request, chunk)
      pending.done({ allowed: true, states, source: 'ahead' })
    } else if (place.isAsking || chunk > cost) {
      place.waiting.push(() => decide(pending, request, place))
      if (!place.isAsking) fill(place, request, chunk)
    } else ask(place, request, (answer) => pending.done(answer))
  }

  /** Sends a consumption, and notes what its answer says of the place. */
  function ask(place: Place, request: DecisionRequest, done: (answer: Answer) => void): void {
    const pending = new PendingRequest(request, (answer) => {
      if ('allowed' in answer) place.note(request, answer)
      if (!('allowed' in answer) || !answer.allowed) {
        place.pausedUntil = performance.now() + deniedMs
      }
      done(answer)
    })
    // Also after a late answer, a rate gives no units back.
    pending.isKept = place.isAsking && !isReturned(request)
    submit([pending])
  }

  /** Takes units for a place, and then decides the requests that wait for them. */
  function fill(place: Place, asked: DecisionRequest, units: number): void {
    place.isAsking = true
    const request = { ...asked, cost: units }
    const sentAt = performance.now()
    const { changes } = place
    ask(place, request, (answer) => {
      place.isAsking = false
      if ('allowed' in answer && answer.allowed && answer.source === undefined) {
        counts.taken += units
        place.pools.push({ request, states: answer.states, sentAt, left: units })
        // The grant or the exemption of the key may have paid for them, or a change was made since.
        if (place.isOverridden || changes !== place.changes) giveBack(place)
        else if (timer === undefined) {
          timer = setInterval(sweep, sweepMs)
          letProcessEnd(timer)
        }
      }
      const { waiting } = place
      place.waiting = []
      for (const next of waiting) next()
    })
  }

  function sweep(): void {
    const now = performance.now()
    for (const place of places.values()) {
      counts.lapsed += place.lapse(now)
      giveBack(place, now - maxAge)
    }
    if ([...places.values()].some(({ pools }) => pools.length > 0)) return
    clearInterval(timer)
    timer = undefined
  }

  /** Returns the units of the pools that were sent for by then. Those of a rate become available by themselves: others may already have taken their time. */
  function giveBack(place: Place, sentBy = Infinity): void {
    const old = place.pools.filter(({ sentAt }) => sentAt <= sentBy)
    place.pools = place.pools.filter((pool) => !old.includes(pool))
    for (const { request, states, left } of old) {
      counts[isReturned(request) ? 'returned' : 'lapsed'] += left
      if (left === 0 || !isReturned(request)) continue
      for (const refund of refundsOf(request, states)) {
        const adjusted = costAt(request.cost, 0) - left
        submit([new PendingRequest({ ...refund, adjusted }, () => {}, true)])
      }
    }
  }

  /** The places that count one of the keys of a request. */
  function placesOf({ policies, keys }: StoreRequest): readonly Place[] {
    return [...places.values()].filter(({ request }) => {
      const isSame = request.policies[0].limiter === policies[0].limiter
      return isSame && request.keys.some((key) => keys.includes(key))
    })
  }

  /** Any other verb first gives back the units of its keys, so that it finds the counts as they are spent. */
  function change(pending: PendingRequest, request: StoreRequest): void {
    const now = performance.now()
    if (request.verb === 'refundReceipt' && request.source === 'ahead') {
      return undo(pending, request)
    }
    for (const place of placesOf(request)) {
      counts.lapsed += place.lapse(now)
      giveBack(place)
      place.changes++
    }
    submit([pending])
  }

  /** Units of a rate that were spent, and are not used after all, go back to the place: they are spent again or lapse. */
  function undo(pending: PendingRequest, request: RefundReceiptRequest): void {
    const units = costAt(request.cost, 0) - costAt(request.adjusted ?? 0, 0)
    if (units <= 0 || isReturned(request)) return submit([pending])
    const pool = places.get(identityOf(request))?.pools.at(-1)
    if (pool === undefined) counts.lapsed += units
    else pool.left += units
    counts.spent -= units
    pending.done({ allowed: true, states: request.receipts })
  }

  /** A peek finds the units that this process holds as free. */
  function peek(pending: PendingRequest, request: DecisionRequest): void {
    const held = places.get(identityOf(request))?.pools ?? []
    if (held.length === 0) return submit([pending])
    submit([
      new PendingRequest(request, (answer) => {
        pending.done('allowed' in answer ? withHeld(request, answer, held) : answer)
      }),
    ])
  }

  function run(pending: PendingRequest): void {
    const { request } = pending
    if (!isDecision(request)) change(pending, request)
    else if (request.verb === 'peek') peek(pending, request)
    else consume(pending, request)
  }

  function prepare(policies: readonly LimiterPolicy[]): void {
    contract?.prepare?.(policies)
    const other = policies.find((policy) => !isSpentAhead(policy))
    if (other)
      warn(sluiceError('SLUICE_AHEAD_UNUSED', other.limiter, other.name, other.policy.kind))
  }

  return {
    ...storeOf((pending) => pending.forEach(run), {
      ping: () => store.ping(),
      async close() {
        for (const place of places.values()) giveBack(place)
        sweep()
        await store.close()
      },
    }),
    [storeContract]: { version: contractVersion, ...contract, prepare },
    ahead() {
      const all = [...places.values()]
      const held = all.reduce((sum, place) => sum + place.held, 0)
      return { keys: all.filter(({ pools }) => pools.length > 0).length, held, ...counts }
    },
  }
}
