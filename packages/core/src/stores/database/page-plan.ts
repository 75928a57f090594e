import type { RequestSteps } from '../../algorithms/algorithm.js'
import { sluiceError, type SluiceError } from '../../errors.js'
import { runOn } from '../changes.js'
import type { Call } from '../compiled-policies.js'
import { Cursor, LOOK, SETTLE, blockedUntilAt, resetsIn } from '../cursor.js'
import { failureOf } from '../pending.js'
import {
  costAt,
  isExempt,
  noLease,
  type Answer,
  type BoundPolicy,
  type Cost,
  type StoreResult,
  type StoreRequest,
} from '../store.js'
import type { Change, StoredRow } from './database.js'
import type { Group, Item } from './groups.js'
import { DamagedRecords, Page, PageSide } from './page.js'
import { mostBytes } from './state-bytes.js'

/** A group that is not answered yet. */
export interface OpenGroup extends Group {
  items: readonly Item[]
  /** The rows by which it is decided next. Undefined: they have to be loaded. */
  rows: ReadonlyMap<string, StoredRow | undefined> | undefined
  /** The time of the database by which these rows are decided. */
  now: number
  /** Whether the rows are those that this process remembers. */
  isGuess: boolean
  /** Whether the database did not save it. */
  isAgain: boolean
}

/** A group that was decided, and has to be saved if it has changes. */
export interface DecidedGroup {
  readonly group: OpenGroup
  readonly answers: readonly Answer[]
  readonly changes: readonly Change[]
  /** Whether the answers would be the same by any other rows. */
  readonly isFinal: boolean
  /** The error of all requests, if one of the rows cannot be read. */
  readonly damage: SluiceError | undefined
}

const tooLong = `a row would have more than ${mostBytes} bytes`

/** Makes the function that decides groups whose rows were loaded. */
export function createDecide(database: string): (group: OpenGroup) => DecidedGroup {
  const planOf = createPagePlans()

  function run(group: OpenGroup, pages: ReadonlyMap<string, Page>): readonly Answer[] {
    return group.items.map(({ pending: { request }, keys }) => {
      const own = keys.flatMap((key) => pages.get(key) ?? [])
      return planOf(request.policies).run(request, own, group.now)
    })
  }

  function damaged(group: OpenGroup, pages: ReadonlyMap<string, Page>): DecidedGroup {
    const rows = [...pages].filter(([, { isDamaged }]) => isDamaged)
    const damage = sluiceError('SLUICE_STORE_DAMAGED', database, rows[0][0])
    const changes = rows.flatMap(([, { change }]) => change ?? [])
    const answers = group.items.map(() => damage)
    return { group, answers, changes, isFinal: false, damage }
  }

  return function decide(group) {
    const pages = new Map(
      group.keys.map((key) => [key, new Page(key, group.rows?.get(key), group.now)]),
    )
    try {
      if (Array.from(pages.values()).some(({ isDamaged }) => isDamaged))
        return damaged(group, pages)
      const answers = run(group, pages)
      const changes = Array.from(pages.values()).flatMap((page) => page.change ?? [])
      const isTooLong = changes.some(({ bytes }) => (bytes?.length ?? 0) > mostBytes)
      if (isTooLong) return failed(group, sluiceError('SLUICE_STORE_FAILED', database, tooLong))
      return { group, answers, changes, isFinal: answers.some(isError), damage: undefined }
    } catch (error) {
      if (error instanceof DamagedRecords) return damaged(group, pages)
      return failed(group, failureOf(database, error))
    }
  }
}

function failed(group: OpenGroup, error: SluiceError): DecidedGroup {
  const answers = group.items.map(() => error)
  return { group, answers, changes: [], isFinal: true, damage: undefined }
}

function isError(answer: Answer): boolean {
  return !('allowed' in answer)
}

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
function createPagePlans(): (policies: readonly BoundPolicy[]) => PagePlan {
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
  #records: unknown
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
      this.#records = this.#page.recordsOf(name, steps, this.#width) ?? steps.newRecords(params)
      this.#steps = steps.bind(this.#records, lease)
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
    const unpacked = steps.hasRecords === true ? { algorithm: steps, records: this.#records } : undefined
    const part = { name, id: steps.id, row, ends }
    this.#page.put(unpacked === undefined ? part : { ...part, unpacked }, now, this.#isInjected)
  }
}
