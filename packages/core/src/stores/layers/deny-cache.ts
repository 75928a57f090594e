import { processTime } from '../../clock.js'
import type {
  Answer,
  AsyncStore,
  BoundPolicy,
  ConsumeRequest,
  Outcome,
  State,
  StoreRequest,
} from '../store.js'
import { createIndex, type Index } from './denial-index.js'
import { runOf, storeOf, type Travel } from './run.js'

/** A denial is believed for so long at the most, since a refund elsewhere may have ended it. */
const believedForMs = 1000

/** So many denials at most are remembered. */
const mostDenials = 10_000

/** What was changed while a call was under way. */
interface Changes {
  places: Set<string> | undefined
}

interface Denial {
  readonly request: ConsumeRequest
  readonly states: readonly State[]
  readonly deniedAt: number
  /** Where each entry counts, and whether it denied. */
  readonly places: readonly string[]
  readonly denied: readonly boolean[]
}

/**
 * Denies a key that was denied a moment ago without asking the store, which is asked anew every second: under attack a key costs the store one
 * request a second from each process. It adds at most this error: what is given back in another process is seen up to a second late. It
 * admits nobody.
 */
export function withDenyCache(store: AsyncStore): AsyncStore {
  const run = runOf(store)
  /** In the order in which they were denied. */
  const denials = new Map<string, Denial>()
  /** Which of them are about a place, and which say that it is shut. */
  const about = createIndex()
  const shutting = createIndex()
  /** For each call that is under way, the places that were changed since it was sent: a denial of theirs may be older than the change. */
  const underWay = new Set<Changes>()

  function recall(request: StoreRequest, now: number): Outcome | undefined {
    if (!isCached(request)) return undefined
    const denial = denials.get(identityOf(request))
    return denial === undefined ? undefined : stillDenied(denial, request, now)
  }

  function remember(request: ConsumeRequest, { states }: Outcome, deniedAt: number): void {
    const identity = identityOf(request)
    forget(identity)
    for (const [oldest, denial] of denials) {
      if (denials.size < mostDenials && deniedAt - denial.deniedAt < believedForMs) break
      forget(oldest)
    }
    const places = placesOf(request)
    const denied = request.entries.map((entry, i) => isShut(entry, states[i], request.cost))
    denials.set(identity, { request, states, deniedAt, places, denied })
    places.forEach((place, i) => {
      about.add(place, identity)
      if (denied[i]) shutting.add(place, identity)
    })
  }

  function forget(identity: string): void {
    const denial = denials.get(identity)
    if (denial === undefined) return
    denials.delete(identity)
    for (const place of denial.places) {
      about.remove(place, identity)
      shutting.remove(place, identity)
    }
  }

  /**
   * What gives back, releases, resets, blocks or takes makes the denials of its keys untrue; so does a smaller cost or another plan that is
   * admitted where they were denied. What is admitted of one policy leaves alone what another denies: or else one busy tenant would have the
   * store asked for each of its clients that is denied.
   */
  function forgetAbout(request: StoreRequest, index: Index): void {
    if (denials.size === 0) return
    for (const place of placesOf(request)) {
      for (const identity of index.at(place)) forget(identity)
    }
  }

  function forgetChanged(request: StoreRequest): void {
    if (underWay.size > 0) {
      const places = placesOf(request)
      for (const changes of underWay) {
        changes.places ??= new Set()
        for (const place of places) changes.places.add(place)
      }
    }
    forgetAbout(request, about)
  }

  function ask(
    requests: readonly StoreRequest[],
    done: (answers: readonly Answer[]) => void,
    travel: Travel | undefined,
  ): void {
    const changes: Changes = { places: undefined }
    underWay.add(changes)
    run(
      requests,
      (answers) => {
        underWay.delete(changes)
        note(requests, answers, changes.places)
        done(answers)
      },
      travel,
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
      if (answer.allowed) forgetAbout(request, shutting)
      else if (isCached(request) && !isChanged(request, changed)) {
        remember(request, answer, processTime.monotonic())
      }
    }
  }

  return storeOf(
    function runRemembering(requests, done, travel) {
      for (const request of requests) if (!isDecision(request)) forgetChanged(request)
      if (denials.size === 0) {
        ask(requests, done, travel)
        return
      }
      const now = processTime.monotonic()
      const recalled = requests.map((request) => recall(request, now))
      const asked = requests.filter((_, i) => recalled[i] === undefined)
      if (asked.length === requests.length) {
        ask(requests, done, travel)
        return
      }
      let next = 0
      const join = (answers: readonly Answer[]): void =>
        done(recalled.map((outcome) => outcome ?? answers[next++]))
      if (asked.length === 0) join([])
      else ask(asked, join, travel)
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

/** What may be released at any moment is asked for each time, and so is what says that it will be given back. */
function isCached(request: StoreRequest): request is ConsumeRequest {
  return (
    request.verb === 'consume' &&
    request.fresh !== true &&
    request.now === undefined &&
    request.entries.every(({ steps }) => steps.token === undefined)
  )
}

/** The denial as it stands now: the same rules look at the same state at a later time. */
function stillDenied(
  { request: { cost }, states, deniedAt, denied }: Denial,
  request: ConsumeRequest,
  now: number,
): Outcome | undefined {
  const elapsed = now - deniedAt
  if (elapsed >= believedForMs || request.cost < cost) return undefined
  let isDenied = false
  const later: State[] = []
  for (const [i, entry] of request.entries.entries()) {
    const { steps, params, block } = entry
    const { blockedUntil } = states[i]
    const state = { row: [...states[i].row], blockedUntil, now: states[i].now + elapsed }
    // A log says in its row when the cost that was asked would fit and when more remains, and of no other cost or moment.
    if (!(steps.bodied === true)) steps.look(state.row, params, state.now, request.cost)
    else if (request.cost !== cost || hasMore(entry, state)) return undefined
    const isBlocked = blockedUntil > state.now
    if (isShut(entry, state, request.cost)) {
      // The store would start the block.
      if (block?.on === 'exceeded' && !isBlocked) return undefined
      // Of the others, somebody may have changed the state since.
      if (denied[i]) isDenied = true
    }
    later.push(state)
  }
  return isDenied ? { allowed: false, states: later, source: 'local' } : undefined
}

function isShut(
  { steps, params }: BoundPolicy,
  { row, blockedUntil, now }: State,
  cost: number,
): boolean {
  return blockedUntil > now || steps.wait(row, params, now, cost) > 0
}

/** Whether more remains by now than the row says. */
function hasMore({ steps, params }: BoundPolicy, { row, now }: State): boolean {
  const quota = steps.quota(params)
  const free = Math.max(0, quota - steps.used(row, params, now))
  return free < quota && steps.next(row, params, now, free + 1) <= 0
}

const rules = new WeakMap<BoundPolicy, string>()

/** A policy with its numbers: a denial by other numbers says nothing. */
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

function placesOf({ entries: [{ limiter }], keys }: StoreRequest): string[] {
  return keys.map((key) => JSON.stringify([limiter, key]))
}

function isChanged(request: StoreRequest, changed: ReadonlySet<string> | undefined): boolean {
  return changed !== undefined && placesOf(request).some((place) => changed.has(place))
}
