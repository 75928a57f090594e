import { mostBodies, type Reading } from '../../algorithms/algorithm.js'
import { sluiceError } from '../../errors.js'
import { bodyKey, redisKey, stateName } from '../../keys.js'
import type { Answer, BoundPolicy, Cost, State, StoreRequest } from '../store.js'

/** The keys and arguments of a call. The header of the script describes them. */
export interface Call {
  readonly algorithms: readonly Reading[]
  readonly keys: readonly string[]
  /** All arguments but the first: the rules, the templates and the requests. */
  readonly args: readonly string[]
}

/** Encodes each rule, template and key once, for any number of requests that use it. */
export function encodeCall(
  prefix: string,
  requests: readonly StoreRequest[],
  serverMs: number,
): Call {
  const algorithms = new Set<Reading>()
  const rules = new Map<BoundPolicy, number>()
  const written: unknown[] = []
  const keys = new Map<string, number>()
  const asked: StoreRequest[] = []
  const list: number[] = []

  function ruleOf(entry: BoundPolicy, now: number): number {
    const known = rules.get(entry)
    if (known !== undefined) return known
    algorithms.add(entry.steps)
    written.push(ruleAsWritten(entry, now))
    return indexOf(rules, entry)
  }

  for (const request of requests) {
    const { verb, entries, keys: names } = request
    let template = asked.findIndex((other) => isSameTemplate(other, request))
    if (template === -1) template = asked.push(request) - 1
    list.push(template + 1)
    for (let i = 0; i < entries.length; i++) {
      const { limiter, name, steps } = entries[i]
      const stateKey = redisKey(prefix, limiter, names[i])
      list.push(indexOf(keys, stateKey))
      for (const body of verb === 'reset' ? allBodiesOf(steps) : bodiesOf(steps)) {
        list.push(indexOf(keys, bodyKey(stateKey, name, body)))
      }
    }
  }
  const templates = asked.map((request) => {
    const { entries, now = serverMs } = request
    return templateAsWritten(
      request,
      entries.map((entry) => ruleOf(entry, now)),
    )
  })
  return {
    algorithms: [...algorithms],
    keys: [...keys.keys()],
    args: [written, templates, list].map((part) => JSON.stringify(part)),
  }
}

/** Returns whether two requests differ in their keys only. */
function isSameTemplate(one: RequestTerms, other: RequestTerms): boolean {
  return (
    one.entries === other.entries &&
    one.verb === other.verb &&
    one.cost === other.cost &&
    one.units === other.units &&
    one.forMs === other.forMs &&
    one.unblock === other.unblock &&
    one.now === other.now &&
    one.lease === other.lease &&
    one.receipts === other.receipts
  )
}

/** The fields of a request of any verb, without its keys. */
interface RequestTerms extends Pick<StoreRequest, 'verb' | 'entries' | 'now' | 'lease'> {
  readonly cost?: Cost
  readonly units?: number
  readonly forMs?: number
  readonly unblock?: boolean
  readonly receipts?: readonly State[]
}

function templateAsWritten(
  { verb, cost, units, forMs, unblock, now, lease, receipts }: RequestTerms,
  rules: readonly number[],
): object {
  return {
    verb,
    cost,
    units,
    forMs,
    unblock,
    rules,
    now,
    lease: lease.id === '' ? undefined : lease,
    receipts: receipts?.map(({ row, now, resets }) => ({ row, now, resets })),
  }
}

function ruleAsWritten({ name, steps, params, block }: BoundPolicy, now: number): object {
  return {
    name: stateName(name),
    id: steps.id,
    ...steps.cells(params),
    params: steps.args(params, now),
    bodies: steps.bodied === true ? steps.bodies.length : undefined,
    persists: steps.persistsOnDenial(params) ? true : undefined,
    block: block && {
      on: block.on,
      length: block.for,
      escalate: block.escalate,
      max: block.max,
    },
  }
}

/** The arguments of a call without requests: a reply means that the server can run scripts. */
export const pingArgs: readonly string[] = [`${Number.MAX_SAFE_INTEGER}`, '[]', '[]', '[]']

function bodiesOf(steps: BoundPolicy['steps']): readonly number[] {
  return steps.bodied === true ? steps.bodies : []
}

/** The bodies of all forms: first those of this one. */
function allBodiesOf(steps: BoundPolicy['steps']): readonly number[] {
  const all = new Set(bodiesOf(steps))
  for (let body = 1; body <= mostBodies; body++) all.add(body)
  return [...all]
}

function widthOf({ moments, counts, views = 0 }: ReturnType<Reading['cells']>): number {
  return moments + counts + views
}

/** Indices start at 1, as in Lua. */
function indexOf<T>(indices: Map<T, number>, item: T): number {
  const known = indices.get(item)
  if (known !== undefined) return known
  indices.set(item, indices.size + 1)
  return indices.size
}

/** Decodes the script's reply. Returns undefined if the call arrived too late and did nothing. */
export function decodeReply(
  reply: readonly unknown[],
  requests: readonly StoreRequest[],
): readonly (Answer | typeof stale)[] | undefined {
  if (reply.length === 1) return undefined
  const serverMs = Number(reply[0])
  let at = 1

  function answerTo({ entries, now = serverMs }: StoreRequest): Answer | typeof stale {
    const code = reply[at++]
    if (typeof code !== 'number') return String(code) === 'STALE' ? stale : failureIn(code)
    const rows = entries.map(({ steps, params }) => {
      const width = widthOf(steps.cells(params))
      at += width
      return reply.slice(at - width, at) as number[]
    })
    const ends = (code & 2) === 0 ? undefined : rows.map(() => Number(reply[at++]))
    const resets = (code & 4) === 0 ? undefined : rows.map(() => Number(reply[at++]))
    const states = rows.map((row, i): State => {
      const blockedUntil = ends === undefined ? 0 : ends[i]
      return resets === undefined
        ? { row, blockedUntil, now }
        : { row, blockedUntil, now, resets: resets[i] }
    })
    return { allowed: (code & 1) === 1, states }
  }

  return requests.map(answerTo)
}

/** Replaces an answer: the rules of this request were made for another time than the server's, and the script did nothing. */
export const stale: unique symbol = Symbol('stale')

/** `message` is unknown because a client may return a string as a buffer. */
export function failureIn(message: unknown): Answer {
  return sluiceError('SLUICE_STORE_FAILED', 'redis', String(message))
}
