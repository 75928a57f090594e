import { sluiceError, type SluiceError } from '../../errors.js'
import { failureOf } from '../pending.js'
import { run } from '../run.js'
import type { Answer } from '../store.js'
import type { Group, Item } from './groups.js'
import { LoadedRow, LoadedRows, type RowChange } from './loaded-rows.js'
import { mostBytes } from './state-bytes.js'

/** A group that was decided, and has to be saved if it has changes. */
export interface DecidedGroup {
  readonly group: Group
  readonly answers: readonly Answer[]
  readonly changes: readonly RowChange[]
}

type RowsByKey = Map<string, LoadedRow>

/**
 * Decides a group whose rows were loaded. Each request succeeds or fails by itself: one whose row cannot be read, or would be too long, changes no row.
 *
 * @param suspects the keys of rows that may fail a request, so that each request about them is checked. That takes as long as if they were sent one by one
 */
export function decide(
  database: string,
  group: Group,
  suspects: ReadonlySet<string> = new Set(),
): DecidedGroup {
  try {
    const decided = attempt(database, group, suspects)
    const long = decided.changes.filter(isTooLong).map(({ change }) => change.key)
    return long.length === 0 ? decided : decide(database, group, new Set([...suspects, ...long]))
  } catch (error) {
    if (suspects.size < group.keys.length) return decide(database, group, new Set(group.keys))
    const failure = failureOf(database, error)
    return { group, answers: group.items.map(() => failure), changes: [] }
  }
}

function attempt(database: string, group: Group, suspects: ReadonlySet<string>): DecidedGroup {
  const { items, now } = group
  const rows: RowsByKey = new Map(
    group.keys.map((key) => [key, new LoadedRow(key, group.rows?.get(key), now)]),
  )
  const tooLong = sluiceError(
    'SLUICE_STORE_FAILED',
    database,
    `a row would have more than ${mostBytes} bytes`,
  )
  const damages = new Map<string, SluiceError>()
  /** Rows that had no space for a consumption. Then the next one is not tried. */
  const full = new Set<string>()

  function runOn(own: RowsByKey, { pending: { request }, keys }: Item): Answer {
    const loaded = new LoadedRows(request, rowsOf(keys, own), now)
    const { damaged } = loaded
    if (damaged === undefined) return run(loaded, request)
    const error =
      damages.get(damaged.key) ?? sluiceError('SLUICE_STORE_DAMAGED', database, damaged.key)
    damages.set(damaged.key, error)
    return error
  }

  /** Runs a request on copies of its rows. They replace the rows if it has not failed. */
  function runApart(item: Item): Answer {
    const isConsumption = item.pending.request.verb === 'consume'
    if (isConsumption && item.keys.some((key) => full.has(key))) return tooLong
    const copies = new Map(rowsOf(item.keys, rows).map((row) => [row.key, row.copy()]))
    try {
      const answer = runOn(copies, item)
      const changes = [...copies.values()].flatMap(({ change }) => change ?? [])
      const long = changes.filter(isTooLong)
      if (long.length > 0) {
        if (isConsumption) for (const { change } of long) full.add(change.key)
        return tooLong
      }
      // It may have made space.
      if (!isConsumption) full.clear()
      for (const [key, row] of copies) rows.set(key, row)
      return answer
    } catch (error) {
      return failureOf(database, error)
    }
  }

  const answers = items.map((item) =>
    item.keys.some((key) => suspects.has(key)) ? runApart(item) : runOn(rows, item),
  )
  items.forEach((item, i) => {
    const answer = answers[i]
    if ('allowed' in answer && answer.allowed) expectTogether(item, rows, now)
  })
  const changes = Array.from(rows.values()).flatMap((row) => row.change ?? [])
  return { group, answers, changes }
}

/** The row of each policy of a request. */
function rowsOf(keys: readonly string[], rows: RowsByKey): LoadedRow[] {
  return keys.flatMap((key) => rows.get(key) ?? [])
}

function isTooLong({ change: { bytes } }: RowChange): boolean {
  return bytes !== undefined && bytes.length > mostBytes
}

/**
 * A request can be allowed by rows that it does not change: by a cost of 0, by an exemption, or because it has nothing to refund. If only the others were saved, two
 * processes could each change what the other one was allowed by.
 */
function expectTogether({ pending: { request }, keys }: Item, rows: RowsByKey, now: number): void {
  const own = rowsOf(keys, rows)
  if (new Set(own).size === 1 || !own.some(({ isChanged }) => isChanged)) return
  for (const row of own) row.expect(request.now ?? now, request.now !== undefined)
}
