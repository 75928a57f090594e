import { mostBodies } from '../../algorithms/algorithm.js'
import { bodyKey, redisKey, stateName } from '../../keys.js'
import { costAt, type BoundPolicy, type State, type StoreRequest } from '../store.js'
import type { ReplyLayout } from './answers.js'

/** The keys and arguments of the script of single requests. Its first comment describes them. */
export interface RequestCall {
  readonly keys: readonly string[]
  /** All arguments but the first. */
  readonly args: readonly string[]
  readonly layout: ReplyLayout
}

export function encodeRequest(
  prefix: string,
  request: StoreRequest,
  serverMs: number,
): RequestCall {
  const { verb, entries, keys: names, now, lease } = request
  const keys: string[] = []
  const args = [now === undefined ? '' : `${now}`, verb, `${amountOf(request)}`]
  args.push(lease.id, lease.owner)
  const widths = entries.map(({ steps, params }) => {
    const { moments, counts, views = 0 } = steps.cells(params)
    return moments + counts + views
  })
  entries.forEach((entry, i) => {
    const stateKey = redisKey(prefix, entry.limiter, names[i])
    keys.push(stateKey)
    const bodies = verb === 'reset' ? allBodiesOf(entry) : bodiesOf(entry)
    for (const body of bodies) keys.push(bodyKey(stateKey, entry.name, body))
    args.push(...argsOf(entry, 'cost' in request ? costAt(request.cost, i) : 0, now ?? serverMs))
    if (verb === 'refundReceipt') args.push(...receiptArgs(request.receipts[i], widths[i]))
  })
  return { keys, args, layout: { widths, order: [...entries.keys()] } }
}

function amountOf(request: StoreRequest): number {
  if ('units' in request) return request.units
  if ('forMs' in request) return request.forMs
  return 'unblock' in request && request.unblock ? 1 : 0
}

function argsOf(entry: BoundPolicy, cost: number, now: number): readonly string[] {
  const { name, steps, params, block } = entry
  const { moments, counts, views = 0 } = steps.cells(params)
  const numbers = steps.args(params, now)
  return [
    stateName(name),
    ...[steps.id, moments, counts, views, bodiesOf(entry).length].map(String),
    steps.persistsOnDenial(params) ? '1' : '0',
    `${cost}`,
    block?.on ?? '',
    ...[block?.for ?? 0, block?.escalate ?? 0, block?.max ?? 0].map(String),
    `${numbers.length}`,
    ...numbers.map(String),
  ]
}

function receiptArgs({ row, now, resets = 0 }: State, width: number): readonly string[] {
  const cells = Array.from({ length: width }, (_, i) => row[i] ?? 0)
  return [now, resets, ...cells].map(String)
}

/** The arguments of a call without policies: a reply means that the server can run scripts. */
export const pingArgs: readonly string[] = [`${Number.MAX_SAFE_INTEGER}`, '', 'peek', '0', '', '']

function bodiesOf({ steps }: BoundPolicy): readonly number[] {
  return steps.bodied === true ? steps.bodies : []
}

/** The bodies of all forms: first those of this one. */
function allBodiesOf(entry: BoundPolicy): readonly number[] {
  const all = new Set(bodiesOf(entry))
  for (let body = 1; body <= mostBodies; body++) all.add(body)
  return [...all]
}
