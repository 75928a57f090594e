import {
  costAt,
  textOf,
  type DecisionRequest,
  type LimiterPolicy,
  type State,
  type StoreRequest,
  type StoreResult,
} from '../store.js'

/** Units that a place has taken from the store, and has not spent. */
export interface Pool {
  /** The consumption that took them. */
  readonly request: DecisionRequest
  readonly states: readonly State[]
  /** The monotonic time at which it was sent. The server's time at a later moment is at least that of the states and the time since. */
  readonly sentAt: number
  left: number
}

/** The time in which the demand for a place is counted. */
const countedMs = 100

/** A list of policies and keys whose units are taken before they are spent. All methods take the monotonic time. */
export class Place {
  /** In the order in which they were taken. */
  pools: Pool[] = []
  /** Consumptions that wait for the units that were asked for, in their order. */
  waiting: (() => void)[] = []
  isAsking: boolean = false
  /** No units are taken ahead until then, because the store has denied some. */
  pausedUntil: number = -Infinity
  /** Whether the key has a block, an exemption or a grant. Then no units are taken ahead. */
  isOverridden: boolean = false
  /** The units that remained at the last answer of the store, of the policy with the least. */
  free: number = 0
  /** The number of changes that this process has made of what its keys have. */
  changes: number = 0
  readonly request: DecisionRequest
  #since: number
  #count = 0
  /** Units per millisecond. */
  #rate = 0

  /** @param request of its policies and keys */
  constructor(request: DecisionRequest, now: number) {
    this.request = request
    this.#since = now
  }

  /** Counts the demand. */
  demand(units: number, now: number): void {
    this.#count += units
    const elapsed = now - this.#since
    if (elapsed < countedMs) return
    this.#rate = this.#count / elapsed
    this.#count = 0
    this.#since = now
  }

  /** The units to take at once: the demand of so many milliseconds, and a share of what is free. 0 if the demand is too small to take any ahead. */
  chunk(ms: number, share: number, now: number): number {
    if (this.isOverridden || now < this.pausedUntil) return 0
    // A few requests at once are no demand of all the time.
    const recent = this.#count < fewestAhead ? 0 : this.#count / countedMs
    const demand = Math.max(this.#rate, recent) * ms
    const units = Math.min(Math.ceil(demand), Math.floor(share * this.free))
    return demand <= fewestAhead || units < 2 ? 0 : units
  }

  /** Notes what the store has answered. */
  note({ policies }: DecisionRequest, { states }: StoreResult): void {
    this.isOverridden = states.some(({ override }) => override !== undefined)
    const left = policies.map(({ steps, params, quota }, i) => {
      return Math.max(0, quota - steps.used(states[i].row, params, states[i].now))
    })
    this.free = Math.min(...left)
  }

  /** Removes the units that can be spent no more, and returns their number. */
  lapse(now: number): number {
    let lapsed = 0
    for (const pool of this.pools) {
      const left = heldOf(pool, now)
      lapsed += pool.left - left
      pool.left = left
    }
    this.pools = this.pools.filter(({ left }) => left > 0)
    return lapsed
  }

  get isInUse(): boolean {
    return this.pools.length > 0 || this.isAsking || this.waiting.length > 0
  }

  get held(): number {
    return this.pools.reduce((sum, { left }) => sum + left, 0)
  }

  /**
   * Spends units of one pool that is not too old. The states are as if the store had taken only what was spent so far. Undefined if there is no pool with so many
   * units.
   */
  spend(
    { policies, cost }: DecisionRequest,
    now: number,
    maxAge: number,
  ): readonly State[] | undefined {
    const units = costAt(cost, 0)
    const pool = this.pools.find(({ left, sentAt }) => left >= units && now - sentAt < maxAge)
    if (pool === undefined) return undefined
    pool.left -= units
    const { left: unspent } = pool
    return pool.states.map(({ row: taken, now: takenAt, override }, i) => {
      const { steps, params } = policies[i]
      const state = { row: [...taken], override, now: laterBy(takenAt, pool, now) }
      steps.look(state.row, params, state.now, 0)
      steps.refund(state.row, params, state.now, unspent)
      return state
    })
  }
}

/** Up to so many units in the time for which they are held, a command for each decision costs less than what lapses. */
const fewestAhead = 10

/** The units of a pool that may still be spent: of each policy, the store would still count them. */
function heldOf({ request: { policies }, states, left, ...pool }: Pool, now: number): number {
  return Math.min(
    ...policies.map(({ steps, params }, i) => {
      const { row, now: takenAt } = states[i]
      return steps.ahead?.held(row, params, laterBy(takenAt, pool, now), left) ?? 0
    }),
  )
}

/** The server's time: rounded up, and late by the way of the request, so that units lapse early. */
function laterBy(takenAt: number, { sentAt }: Pick<Pool, 'sentAt'>, now: number): number {
  return Math.ceil(takenAt + now - sentAt)
}

/** Whether the units of all policies can be taken before they are spent, and the store itself does not have to decide. */
export function isEligible({ policies, cost, now, skipDenyCache }: DecisionRequest): boolean {
  if (now !== undefined || skipDenyCache === true || typeof cost !== 'number') return false
  return cost > 0 && policies.every(isSpentAhead)
}

/** Whether the units of a policy can be taken before they are spent. */
export function isSpentAhead({ steps, block, keepsFirstRow }: LimiterPolicy): boolean {
  return steps.ahead !== undefined && block === undefined && !keepsFirstRow
}

/** Whether unspent units can be given back. */
export function isReturned({ policies }: StoreRequest): boolean {
  return policies.every(({ steps }) => steps.ahead?.isReturned === true)
}

/** The answer of a peek if the store had not taken what is held. */
export function withHeld(
  { policies, cost }: DecisionRequest,
  answer: StoreResult,
  held: readonly Pool[],
): StoreResult {
  const left = held.reduce((sum, pool) => sum + pool.left, 0)
  const states = answer.states.map(({ row, ...rest }) => ({ ...rest, row: [...row] }))
  const fits = policies.map(({ steps, params }, i) => {
    const { row, now, override } = states[i]
    steps.refund(row, params, now, left)
    return override === undefined && steps.look(row, params, now, costAt(cost, i))
  })
  return { ...answer, allowed: answer.allowed || !fits.includes(false), states }
}

export function identityOf({ policies, keys }: StoreRequest): string {
  return textOf(policies) + JSON.stringify(keys)
}
