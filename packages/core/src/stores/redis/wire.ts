import type { Reading } from '../../algorithms/algorithm.js'
import { sluiceError } from '../../errors.js'
import { bodyKey, escapeName, redisKey } from '../../keys.js'
import type { Answer, Entry, State, StoreRequest } from '../store.js'

/** A list of requests as the script takes them; `script.ts` describes the arguments. */
export interface Call {
  readonly algorithms: readonly Reading[]
  readonly keys: readonly string[]
  /** From the second argument on: the rules and the requests. */
  readonly args: readonly string[]
}

/** Writes each rule and each key once, however many of the requests use it. */
export function encodeCall(
  prefix: string,
  requests: readonly StoreRequest[],
  serverMs: number,
): Call {
  const algorithms = new Map<number, Reading>()
  const rules = new Map<Entry, number>()
  const keys = new Map<string, number>()
  const ruleArgs: string[] = []
  const requestArgs: string[] = []
  for (const { verb, cost, now, entries, keys: names, lease, receipts } of requests) {
    requestArgs.push(verb, `${cost}`, `${now ?? ''}`, lease.id)
    if (lease.id !== '') requestArgs.push(lease.owner)
    requestArgs.push(`${entries.length}`)
    entries.forEach((entry, i) => {
      if (!rules.has(entry)) {
        algorithms.set(entry.steps.id, entry.steps)
        ruleArgs.push(...encodeRule(entry, now ?? serverMs))
      }
      const rule = indexOf(rules, entry)
      const stateKey = redisKey(prefix, entry.limiter, names[i])
      requestArgs.push(`${rule}`, `${indexOf(keys, stateKey)}`)
      if ('over' in entry.steps) {
        for (let body = 1; body <= entry.steps.bodies; body++) {
          requestArgs.push(`${indexOf(keys, bodyKey(stateKey, entry.name, body))}`)
        }
      }
      if (entry.block !== undefined) requestArgs.push(couldFit(entry, cost) ? '1' : '0')
      const receipt = receipts?.[i]
      if (receipt !== undefined) {
        requestArgs.push(...receipt.row.map(String), `${receipt.now}`)
      }
    })
  }
  return {
    algorithms: [...algorithms.values()].sort((a, b) => a.id - b.id),
    keys: [...keys.keys()],
    args: [`${rules.size}`, ...ruleArgs, ...requestArgs],
  }
}

/** Reads the script's reply: undefined where the call came too late and nothing was done. */
export function decodeReply(
  reply: readonly unknown[],
  requests: readonly StoreRequest[],
): readonly Answer[] | undefined {
  const [serverMs, ...answers] = reply as [number, ...unknown[]]
  if (answers.length === 0) return undefined
  return requests.map((request, i) => decodeAnswer(answers[i], request, serverMs))
}

/** The answer of a request whose rules were made for another time than the server's. Nothing was done. */
export const stale: Answer = sluiceError(
  'SLUICE_STORE_FAILED',
  'redis',
  'its clock is far from ours',
)

function decodeAnswer(answer: unknown, request: StoreRequest, serverMs: number): Answer {
  if (answer === 'STALE') return stale
  if (!Array.isArray(answer)) return sluiceError('SLUICE_STORE_FAILED', 'redis', String(answer))
  const [allowed, ...cells] = answer as number[]
  const now = request.now ?? serverMs
  let at = 0
  const states = request.entries.map(({ steps, params }): State => {
    const { moments, counts, views = 0 } = steps.cells(params)
    const width = moments + counts + views
    const row = cells.slice(at, at + width)
    at += width + 1
    return { row, blockedUntil: cells[at - 1], now }
  })
  return { allowed: allowed === 1, states }
}

function encodeRule({ name, steps, params, block }: Entry, now: number): string[] {
  const { moments, counts, views = 0 } = steps.cells(params)
  const bodies = 'over' in steps ? steps.bodies : 0
  const born = steps.bornDenied?.(params) === true ? 1 : 0
  const args = steps.args(params, now)
  return [
    // The usual name takes no room in the state.
    name === 'default' ? '' : escapeName(name),
    ...[steps.id, moments, counts, views, bodies, born].map(String),
    ...(block === undefined ? [''] : [block.on, block.for, block.escalate, block.max]).map(String),
    ...[args.length, ...args].map(String),
  ]
}

/** Whether there is any state in which the cost is admitted: else its denial starts no block. */
function couldFit({ steps, params }: Entry, cost: number): boolean {
  const { moments, counts, views = 0 } = steps.cells(params)
  const blank = Array.from({ length: moments + counts + views }, () => 0)
  return steps.wait(blank, params, 0, cost) !== Infinity
}

/** Counted from 1, as Lua does. */
function indexOf<T>(indices: Map<T, number>, item: T): number {
  const known = indices.get(item)
  if (known !== undefined) return known
  indices.set(item, indices.size + 1)
  return indices.size
}
