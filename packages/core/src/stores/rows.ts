import type { BoundSteps, Row } from '../algorithms/algorithm.js'
import { blockedMs, cellsAtStart, overrideAllows, overrideEnds, overrideOf } from './override.js'
import type { LimiterPolicy, State, StoreRequest } from './store.js'

/** The two parts that a store keeps for a policy's key: the count of its algorithm, and the block or the exemption that all policies of its name have. */
export type Part = 'count' | 'override'

/** The rows of the keys of one request: of each, the index of its policy in the request, and the key. */
export interface Rows {
  /** The time by which a policy is decided. */
  timeOf(index: number): number
  /** A copy of a row: the cells that are kept, and a zero for each cell that only a receipt has. */
  get(index: number, key: string, part: Part): Row | undefined
  /** The log or the leases of a row that `get` has returned, of an algorithm that has such records. */
  recordsOf(index: number, key: string): unknown
  /** Whether there is a count that has not ended. An ended count is read until it is removed, so that it still counts if the clock steps back. */
  isKept(index: number, key: string): boolean
  /**
   * Keeps a row in place of the one that there is. Removes it if its life is over.
   *
   * @param isSpent whether nothing remains of the quota, so that a full store evicts it last
   */
  put(
    index: number,
    key: string,
    part: Part,
    row: Row,
    lifeMs: number,
    isSpent: boolean,
    records: unknown,
  ): void
  /** Removes the override, or the counts of all algorithms under the policy's name. */
  delete(index: number, key: string, part: Part): void
}

/** The state of one policy's key during a request, and after it. */
export interface Loaded extends State {
  /** The index of its policy in the request. */
  readonly index: number
  override: Row | undefined
  /** Whether the policy allows the cost of the request. */
  readonly fits: boolean
  /** Whether it allows it by its count, and not only by its grant. */
  readonly isCounted: boolean
  readonly records: unknown
  /** The steps of its algorithm, bound to these records if it has any. */
  readonly steps: BoundSteps
}

/** Reads a state as it is now, and whether it allows the cost: an exemption allows any, a block none, and a grant one that the count does not. */
export function look(rows: Rows, request: StoreRequest, index: number, cost: number): Loaded {
  const policy = request.policies[index]
  const key = request.keys[index]
  const kept = rows.get(index, key, 'count')
  const row = kept ?? zeros(policy)
  const now = rows.timeOf(index)
  let steps: BoundSteps = policy.steps
  let records: unknown
  const kind = policy.steps.records
  if (kind !== undefined) {
    records = (kept && rows.recordsOf(index, key)) ?? kind.create(policy.params)
    steps = kind.bind(records, request.lease)
  }
  let override = rows.get(index, key, 'override')
  const isCounted = steps.look(row, policy.params, now, cost)
  let fits = isCounted
  if (override !== undefined) {
    override = cellsAtStart(override)
    const at = { override, now }
    fits = overrideAllows(at, cost) || (isCounted && blockedMs(at) === 0)
  }
  return { row, now, override, index, fits, isCounted, records, steps }
}

/** The row of a key of which nothing is kept. Literals take a fraction of the time of a loop. */
function zeros({ width, extras }: LimiterPolicy): Row {
  const cells = width + extras
  if (cells === 2) return [0, 0]
  if (cells === 3) return [0, 0, 0]
  if (cells === 7) return [0, 0, 0, 0, 0, 0, 0]
  return Array.from({ length: cells }, () => 0)
}

/** Keeps the count of a state. */
export function save(rows: Rows, { policies, keys }: StoreRequest, state: Loaded): void {
  const { index, row, now } = state
  const { steps, params, quota } = policies[index]
  const lifeMs = steps.ends(row, params) - now
  const isSpent = steps.used(row, params, now) >= quota
  rows.put(index, keys[index], 'count', row, lifeMs, isSpent, state.records)
}

/** Keeps an override, or removes it if it is over. */
export function putOverride(rows: Rows, { keys }: StoreRequest, state: Loaded, row: Row): void {
  const { index, now } = state
  state.override = overrideOf(row)
  rows.put(index, keys[index], 'override', row, overrideEnds(row) - now, true, undefined)
}
