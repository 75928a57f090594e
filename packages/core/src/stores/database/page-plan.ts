import type { RequestSteps } from '../../algorithms/algorithm.js'
import { runOn } from '../changes.js'
import type { Call } from '../compiled-policies.js'
import { Cursor, LOOK, SETTLE, blockedUntilAt, resetsIn } from '../cursor.js'
import {
  costAt,
  isExempt,
  noLease,
  type BoundPolicy,
  type Cost,
  type StoreRequest,
  type StoreResult,
} from '../store.js'
import { PageSide } from './page-side.js'
import { Page } from './page.js'

/** A list of policies, compiled for rows that were loaded. It runs every verb, all or nothing, as the memory store does on its own rows. */
class PagePlan {
  readonly #cursors: readonly PageCursor[]

  constructor(policies: readonly BoundPolicy[]) {
    this.#cursors = policies.map((policy) => new PageCursor(policy))
  }

  /**
   * Runs a request of any verb.
   *
   * @param pages the state of the key of each policy
   * @param now the time of the database
   */
  run(request: StoreRequest, pages: readonly Page[], now: number): StoreResult {
    const cursors = this.#cursors
    cursors.forEach((cursor, i) => cursor.select(pages[i], request.now, now))
    return runOn(cursors, request, (call, cost) => this.#decide(call, cost))
  }

  #decide(call: Call, cost: Cost): boolean {
    const cursors = this.#cursors
    const looks = cursors.map((cursor, i) => cursor.decide(LOOK, call, costAt(cost, i), true))
    const fits = !looks.includes(false)
    cursors.forEach((cursor, i) => cursor.decide(SETTLE, call, costAt(cost, i), fits))
    return fits
  }
}

/** Makes the function that compiles lists of policies, each once. */
export function createPagePlans(): (policies: readonly BoundPolicy[]) => PagePlan {
  const plans = new WeakMap<readonly BoundPolicy[], PagePlan>()
  return function planOf(policies) {
    const plan = plans.get(policies) ?? new PagePlan(policies)
    plans.set(policies, plan)
    return plan
  }
}

/** The cursor of a policy on the pages of keys. */
class PageCursor extends Cursor {
  readonly #width: number
  #page: Page
  #side: PageSide
  #isInjected = false
  #body: unknown
  #steps: RequestSteps

  constructor(policy: BoundPolicy) {
    super(policy)
    const { steps, params } = policy
    const { times, counts } = steps.cells(params)
    this.#width = times + counts
    this.#steps = steps.hasRecords === true ? steps.bind(steps.newRecords(params), noLease) : steps
    this.#page = new Page('', undefined, 0)
    this.#side = new PageSide(this.#page, policy.name, 0, false)
  }

  /** Chooses the key of the next calls. */
  select(page: Page, injected: number | undefined, loadedAt: number): void {
    this.now = injected ?? loadedAt
    this.#isInjected = injected !== undefined
    this.#page = page
    this.#side = new PageSide(page, this.policy.name, this.now, this.#isInjected)
  }

  override decide(phase: number, call: Call, cost: number, allowed: boolean): boolean {
    if (phase === LOOK) return this.#look(call, cost)
    if (call.verb === 'peek') this.read()
    else this.settleMore(cost, allowed)
    return allowed
  }

  #look({ lease }: Call, cost: number): boolean {
    const { policy, params, now, extras } = this
    const { steps, name } = policy
    const kept = this.#page.partOf(name, steps.id, this.#width)?.row
    if (steps.hasRecords === true) {
      this.#body = this.#page.recordsOf(name, steps, this.#width) ?? steps.newRecords(params)
      this.#steps = steps.bind(this.#body, lease)
    }
    const row = kept === undefined ? Array.from({ length: this.#width }, () => 0) : [...kept]
    for (let extra = 0; extra < extras; extra++) row.push(0)
    this.row = row
    this.blockedUntil = blockedUntilAt(this.#side.override, now)
    this.resets = resetsIn(this.#side.reset, now)
    const fits = this.#steps.look(row, params, now, cost)
    return isExempt(this) || (fits && this.blockedUntil <= now)
  }

  override get steps(): RequestSteps {
    return this.#steps
  }

  override get side(): PageSide {
    return this.#side
  }

  override isKept(): boolean {
    const { steps, name } = this.policy
    const part = this.#page.partOf(name, steps.id, this.#width)
    return part !== undefined && part.ends > this.now
  }

  override save(): void {
    const { policy, params, now } = this
    const { steps, name } = policy
    const row = this.row.slice(0, this.#width)
    const ends = steps.ends(this.row, params)
    const records = steps.hasRecords === true ? { algorithm: steps, body: this.#body } : undefined
    const part = { name, id: steps.id, row, ends }
    this.#page.put(records === undefined ? part : { ...part, records }, now, this.#isInjected)
  }
}
