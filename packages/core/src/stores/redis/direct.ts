import { redisKeys, stateName } from '../../keys.js'
import type { Row } from '../../algorithms/algorithm.js'
import type { Lane } from '../layers/run.js'
import type { Answer, BoundPolicy, DecisionRequest, State, StoreRequest } from '../store.js'
import { scriptOf, type Script } from './evaluation.js'
import type { DirectRule } from './script/direct-state.js'
import { assembleDirectScript, generalCode } from './script/direct.js'

/** The most policies, and the most cells in a row, that a direct script supports. */
const mostPolicies = 4
const mostCells = 16

/** The maximum number of direct scripts: a process with different policies for each client must not fill Redis with scripts. */
const mostScripts = 64

/** Policies with a script of their own, and the parts of a call that never change. */
export interface Direct {
  readonly script: Script
  readonly entries: readonly BoundPolicy[]
  readonly keyOf: (key: string) => string
  /** The params of each policy, then the names if the state contains them. */
  readonly args: readonly string[]
  /** The number of cells of each row in the reply. */
  readonly widths: readonly number[]
}

/** One call of the direct script decides requests that differ in key, cost and verb only. */
export interface DirectLane extends Lane {
  readonly direct: Direct
  readonly now: number | undefined
}

/** Finds the direct script for a list of policies, once per list. Returns undefined if the general script has to decide. */
export function createDirects(
  prefix: string,
): (entries: readonly BoundPolicy[]) => Direct | undefined {
  const known = new WeakMap<readonly BoundPolicy[], Direct | false>()
  // A caller may create a new list with the same policies for each call.
  const byFirst = new WeakMap<BoundPolicy, Direct[]>()
  const scripts = new Map<string, Script>()

  function scriptFor(rules: readonly DirectRule[], isNamed: boolean): Script | undefined {
    const shapes = rules.map((rule) => [rule.steps.id, rule.moments, rule.counts, rule.params])
    const shape = JSON.stringify([isNamed, shapes])
    let script = scripts.get(shape)
    if (script === undefined && scripts.size < mostScripts) {
      script = scriptOf(assembleDirectScript(rules, isNamed))
      scripts.set(shape, script)
    }
    return script
  }

  function compile(entries: readonly BoundPolicy[]): Direct | undefined {
    if (entries.length > mostPolicies || !entries.every(isDirect)) return undefined
    const [{ name, steps }] = entries
    const isNamed = entries.length > 1 || name !== 'default' || steps.id > 127
    const params = entries.map((entry) => entry.steps.args(entry.params, 0))
    const rules = entries.map((entry, i): DirectRule => ({
      steps: entry.steps,
      views: 0,
      ...entry.steps.cells(entry.params),
      params: params[i].length,
    }))
    const script = scriptFor(rules, isNamed)
    if (script === undefined) return undefined
    const names = isNamed ? entries.map(({ name }) => stateName(name)) : []
    return {
      script,
      entries,
      keyOf: redisKeys(prefix, entries[0].limiter),
      args: [...params.flat().map(String), ...names],
      widths: rules.map(({ moments, counts, views }) => moments + counts + views),
    }
  }

  function find(entries: readonly BoundPolicy[]): Direct | undefined {
    const alike = byFirst.get(entries[0]) ?? []
    const same = alike.find((one) => isSame(one.entries, entries))
    if (same !== undefined) return same
    const made = compile(entries)
    if (made !== undefined) byFirst.set(entries[0], [...alike, made])
    return made
  }

  return function directOf(entries) {
    let direct = known.get(entries)
    if (direct === undefined) {
      direct = find(entries) ?? false
      known.set(entries, direct)
    }
    return direct === false ? undefined : direct
  }
}

/** Returns whether the row is the policy's whole state, and only an allowed request writes it. */
function isDirect({ steps, params, block }: BoundPolicy): boolean {
  if (steps.bodied === true || steps.datedArgs === true || block !== undefined) return false
  const { moments, counts } = steps.cells(params)
  return moments + counts <= mostCells && counts > 0 && !steps.persistsOnDenial(params)
}

function isSame(one: readonly BoundPolicy[], other: readonly BoundPolicy[]): boolean {
  return one.length === other.length && one.every((entry, i) => entry === other[i])
}

export interface DirectCall {
  readonly keys: readonly string[]
  /** The arguments after the params and names. */
  readonly counts: readonly string[]
  /** For each answer, the index of its request. Undefined if the answers are in the order of the requests. */
  readonly order: readonly number[] | undefined
}

const consumeOne: readonly string[] = []

export function encodeDirect({ keyOf }: Direct, requests: readonly DirectRequest[]): DirectCall {
  if (requests.length === 1) {
    const [request] = requests
    const cost = costOf(request)
    const counts = cost === 1 ? consumeOne : ['-1', `${cost}`]
    return { keys: [keyOf(request.keys[0])], counts, order: undefined }
  }
  const names = new Set<string>()
  let isUniform = true
  for (const { keys, verb, cost } of requests) {
    names.add(keys[0])
    if (cost !== 1 || verb !== 'consume') isUniform = false
  }
  const keys = Array.from(names, keyOf)
  if (isUniform && keys.length === requests.length) {
    return { keys, counts: consumeOne, order: undefined }
  }
  const byKey = new Map<string, number[]>()
  for (const name of names) byKey.set(name, [])
  requests.forEach((request, i) => byKey.get(request.keys[0])?.push(i))
  const counts: string[] = []
  const order: number[] = []
  for (const indices of byKey.values()) {
    order.push(...indices)
    const costs = indices.map((i) => costOf(requests[i]))
    if (costs.every((cost) => cost === 1)) counts.push(`${costs.length}`)
    else counts.push(`-${costs.length}`, ...costs.map(String))
  }
  return { keys, counts, order }
}

export function argsOf(
  { direct: { args }, now }: DirectLane,
  voidAt: number,
  counts: readonly string[],
): readonly string[] {
  return [`${voidAt}`, now === undefined ? '' : `${now}`, ...args, ...counts]
}

function costOf({ verb, cost }: DirectRequest): number {
  return verb === 'consume' ? cost : -1 - cost
}

/** Replaces an answer: the direct script could not read the state, so the general script has to decide. */
export const unread: unique symbol = Symbol('unread')

/** Decodes the script's reply. `failure` converts the message of a single request that failed. */
export function decodeDirect(
  reply: readonly unknown[],
  { direct: { widths }, now = Number(reply[0]) }: DirectLane,
  { order }: DirectCall,
  count: number,
  failure: (message: unknown) => Answer,
): (Answer | typeof unread)[] {
  const answers: (Answer | typeof unread)[] = []
  let at = 1
  for (let nth = 0; nth < count; nth++) {
    const code = reply[at++]
    const i = order === undefined ? nth : order[nth]
    if (typeof code !== 'number') answers[i] = failure(code)
    else if (code === generalCode) answers[i] = unread
    else {
      const states: State[] = []
      for (const width of widths) {
        states.push({ row: rowAt(reply, at, width), blockedUntil: 0, now })
        at += width
      }
      answers[i] = { allowed: code === 1, states }
    }
  }
  return answers
}

/** `readReply` has already converted the cells to numbers. */
function rowAt(reply: readonly unknown[], at: number, width: number): Row {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checking each cell again would take longer than the rest of the decoding
  return reply.slice(at, at + width) as Row
}

/** A request that a direct script can decide: it has one cost for all policies. */
export type DirectRequest = DecisionRequest & { readonly cost: number }

export function isDirectRequest(request: StoreRequest): request is DirectRequest {
  const { verb } = request
  return (verb === 'consume' || verb === 'peek') && typeof request.cost === 'number'
}
