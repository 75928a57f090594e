import { processTime } from '../../clock.js'
import {
  costAt,
  type Answer,
  type AsyncStore,
  type BoundPolicy,
  type ConsumeRequest,
  type Outcome,
  type State,
  type StoreRequest,
} from '../store.js'
import { createIndex, type Index } from './denial-index.js'
import { runOf, storeOf, type CallInfo } from './run.js'

/** The maximum time for which a denial is remembered, because a refund in another process may have ended it. */
const rememberedForMs = 1000

/** The maximum number of remembered denials. */
const mostDenials = 10_000

/** The keys whose counts were changed while a call was pending. */
interface Changes {
  keys: Set<string> | undefined
}

interface Denial {
  readonly request: ConsumeRequest
  readonly states: readonly State[]
  readonly deniedAt: number
  /** For each entry, its limiter and key in one string. */
  readonly keys: readonly string[]
  /** For each entry, whether it denied. */
  readonly denied: readonly boolean[]
}

/**
 * Denies a key that was denied less than a second ago without a call to the store. So under attack, a key costs the store one request per second
 * and process. The only error is that a refund in another process takes effect up to a second late. The cache never allows a request.
 */
export function withDenyCache(store: AsyncStore): AsyncStore {
  const run = runOf(store)
  /** In the order of their denial. */
  const denials = new Map<string, Denial>()
  /** All denials about a key, and those in which an entry denied that key. */
  const about = createIndex()
  const denying = createIndex()
  /** For each pending call, the keys that were changed since it was sent: a denial of them in its reply may be older than the change. */
  const underWay: Changes[] = []

  function recall(request: StoreRequest, now: number): Outcome | undefined {
    if (!isCached(request)) return undefined
    const denial = denials.get(identityOf(request))
    return denial === undefined ? undefined : stillDenied(denial, request, now)
  }

  function remember(request: ConsumeRequest, { states }: Outcome, deniedAt: number): void {
    const identity = identityOf(request)
    forget(identity)
    for (const [oldest, denial] of denials) {
      if (denials.size < mostDenials && deniedAt - denial.deniedAt < rememberedForMs) break
      forget(oldest)
    }
    const keys = keysOf(request)
    const denied = request.entries.map((entry, i) =>
      isDenying(entry, states[i], costAt(request.cost, i)),
    )
    denials.set(identity, { request, states, deniedAt, keys, denied })
    keys.forEach((key, i) => {
      about.add(key, identity)
      if (denied[i]) denying.add(key, identity)
    })
  }

  function forget(identity: string): void {
    const denial = denials.get(identity)
    if (denial === undefined) return
    denials.delete(identity)
    for (const key of denial.keys) {
      about.remove(key, identity)
      denying.remove(key, identity)
    }
  }

  /**
   * Refunds, releases, resets, blocks and penalties invalidate the denials of their keys. So does an allowed request, with a smaller cost or
   * another plan, of a key that denied. An allowed request does not invalidate the denials by other keys: otherwise each allowed request of
   * a tenant would lead to a call for each of the tenant's denied clients.
   */
  function forgetAbout(request: StoreRequest, index: Index): void {
    if (denials.size === 0) return
    for (const key of keysOf(request)) {
      for (const identity of index.identitiesOf(key)) forget(identity)
    }
  }

  function forgetChanged(request: StoreRequest): void {
    if (underWay.length > 0) {
      const keys = keysOf(request)
      for (const changes of underWay) {
        changes.keys ??= new Set()
        for (const key of keys) changes.keys.add(key)
      }
    }
    forgetAbout(request, about)
  }

  function ask(
    requests: readonly StoreRequest[],
    done: (answers: readonly Answer[]) => void,
    info: CallInfo | undefined,
  ): void {
    const changes: Changes = { keys: undefined }
    underWay.push(changes)
    run(
      requests,
      (answers) => {
        underWay.splice(underWay.indexOf(changes), 1)
        note(requests, answers, changes.keys)
        done(answers)
      },
      info,
    )
  }

  function note(
    requests: readonly StoreRequest[],
    answers: readonly Answer[],
    changed: ReadonlySet<string> | undefined,
  ): void {
    for (let i = 0; i < requests.length; i++) {
      const request = requests[i]
      const answer = answers[i]
      if (!isDecision(request)) forgetChanged(request)
      if (!('allowed' in answer) || request.verb !== 'consume') continue
      if (answer.allowed) forgetAbout(request, denying)
      else if (isCached(request) && !isChanged(request, changed)) {
        remember(request, answer, processTime.monotonic())
      }
    }
  }

  return storeOf(
    function runRemembering(requests, done, info) {
      for (const request of requests) if (!isDecision(request)) forgetChanged(request)
      if (denials.size === 0) {
        ask(requests, done, info)
        return
      }
      const now = processTime.monotonic()
      const recalled = requests.map((request) => recall(request, now))
      const asked = requests.filter((_, i) => recalled[i] === undefined)
      if (asked.length === requests.length) {
        ask(requests, done, info)
        return
      }
      let next = 0
      const join = (answers: readonly Answer[]): void =>
        done(recalled.map((outcome) => outcome ?? answers[next++]))
      if (asked.length === 0) join([])
      else ask(asked, join, info)
    },
    {
      ping: () => store.ping(),
      close: () => store.close(),
    },
  )
}

function isDecision({ verb }: StoreRequest): boolean {
  return verb === 'consume' || verb === 'peek'
}

/** A lease may be released at any moment, and a `fresh` request requires the store itself, so neither is cached. */
function isCached(request: StoreRequest): request is ConsumeRequest {
  return (
    request.verb === 'consume' &&
    request.fresh !== true &&
    request.now === undefined &&
    request.entries.every(({ steps }) => steps.token === undefined)
  )
}

/** Evaluates the same rules on the same state at a later time. Returns undefined if the store has to decide. */
function stillDenied(
  { request: { cost }, states, deniedAt, denied }: Denial,
  request: ConsumeRequest,
  now: number,
): Outcome | undefined {
  const elapsed = now - deniedAt
  if (elapsed >= rememberedForMs) return undefined
  let isDenied = false
  const later: State[] = []
  for (const [i, entry] of request.entries.entries()) {
    const { steps, params, block } = entry
    const { blockedUntil } = states[i]
    const [own, remembered] = [costAt(request.cost, i), costAt(cost, i)]
    if (own < remembered) return undefined
    const state = { row: [...states[i].row], blockedUntil, now: states[i].now + elapsed }
    // The row of a log contains the moments at which the requested cost fits and more units remain, but only for this cost and until more remain.
    if (!(steps.bodied === true)) steps.look(state.row, params, state.now, own)
    else if (own !== remembered || hasMore(entry, state)) return undefined
    const isBlocked = blockedUntil > state.now
    if (isDenying(entry, state, own)) {
      // The store has to start the block.
      if (block?.on === 'exceeded' && !isBlocked) return undefined
      // Only entries that denied count: the state of the others may have changed since.
      if (denied[i]) isDenied = true
    }
    later.push(state)
  }
  return isDenied ? { allowed: false, states: later, source: 'local' } : undefined
}

function isDenying(
  { steps, params }: BoundPolicy,
  { row, blockedUntil, now }: State,
  cost: number,
): boolean {
  return blockedUntil > now || steps.wait(row, params, now, cost) > 0
}

/** Returns whether more units remain now than the row says. */
function hasMore({ steps, params }: BoundPolicy, { row, now }: State): boolean {
  const quota = steps.quota(params)
  const free = Math.max(0, quota - steps.used(row, params, now))
  return free < quota && steps.next(row, params, now, free + 1) <= 0
}

const rules = new WeakMap<BoundPolicy, string>()

/** Identifies a policy with its numbers: a denial under other numbers does not apply. */
function ruleOf(entry: BoundPolicy): string {
  let rule = rules.get(entry)
  if (rule === undefined) {
    const { limiter, name, policy } = entry
    rule = JSON.stringify([limiter, name, policy])
    rules.set(entry, rule)
  }
  return rule
}

function identityOf({ entries, keys }: StoreRequest): string {
  return JSON.stringify([keys, entries.map(ruleOf)])
}

function keysOf({ entries: [{ limiter }], keys }: StoreRequest): string[] {
  return keys.map((key) => JSON.stringify([limiter, key]))
}

function isChanged(request: StoreRequest, changed: ReadonlySet<string> | undefined): boolean {
  return changed !== undefined && keysOf(request).some((key) => changed.has(key))
}
