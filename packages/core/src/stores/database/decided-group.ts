import { sluiceError, type SluiceError } from '../../errors.js'
import { failureOf } from '../pending.js'
import { run } from '../run.js'
import type { Answer, StoreResult } from '../store.js'
import type { Group, Item } from './groups.js'
import { DamagedRecords, LoadedRow, LoadedRows, type RowChange } from './loaded-rows.js'
import { mostBytes } from './state-bytes.js'

/** A group that was decided, and has to be saved if it has changes. */
export interface DecidedGroup {
  readonly group: Group
  readonly answers: readonly Answer[]
  readonly changes: readonly RowChange[]
  /** The error of all requests, if one of the rows cannot be read. */
  readonly damage: SluiceError | undefined
}

const tooLong = `a row would have more than ${mostBytes} bytes`

/** Makes the function that decides groups whose rows were loaded. */
export function createDecide(database: string): (group: Group) => DecidedGroup {
  function runAll(group: Group, rows: ReadonlyMap<string, LoadedRow>): readonly Answer[] {
    const rowsOf = ({ keys }: Item): LoadedRow[] => keys.flatMap((key) => rows.get(key) ?? [])
    const answers = group.items.map((item): StoreResult => {
      const { request } = item.pending
      return run(new LoadedRows(request, rowsOf(item), group.now), request)
    })
    group.items.forEach((item, i) => {
      if (answers[i].allowed && item.keys.length > 1) expectTogether(item, rowsOf(item), group.now)
    })
    return answers
  }

  function damaged(group: Group, rows: ReadonlyMap<string, LoadedRow>): DecidedGroup {
    const damagedRows = [...rows].filter(([, { isDamaged }]) => isDamaged)
    const damage = sluiceError('SLUICE_STORE_DAMAGED', database, damagedRows[0][0])
    const changes = damagedRows.flatMap(([, { change }]) => change ?? [])
    const answers = group.items.map(() => damage)
    return { group, answers, changes, damage }
  }

  return function decide(group) {
    const rows = new Map(
      group.keys.map((key) => [key, new LoadedRow(key, group.rows?.get(key), group.now)]),
    )
    try {
      if (Array.from(rows.values()).some(({ isDamaged }) => isDamaged)) return damaged(group, rows)
      const answers = runAll(group, rows)
      const changes = Array.from(rows.values()).flatMap((row) => row.change ?? [])
      const isTooLong = changes.some(({ change }) => (change.bytes?.length ?? 0) > mostBytes)
      if (isTooLong) return failed(group, sluiceError('SLUICE_STORE_FAILED', database, tooLong))
      return { group, answers, changes, damage: undefined }
    } catch (error) {
      if (error instanceof DamagedRecords) return damaged(group, rows)
      return failed(group, failureOf(database, error))
    }
  }
}

function failed(group: Group, error: SluiceError): DecidedGroup {
  const answers = group.items.map(() => error)
  return { group, answers, changes: [], damage: undefined }
}

/**
 * A request can be allowed by rows that it does not change: by a cost of 0, by an exemption, or because it has nothing to refund. If only the others were saved, two
 * processes could each change what the other one was allowed by.
 */
function expectTogether(
  { pending: { request } }: Item,
  own: readonly LoadedRow[],
  now: number,
): void {
  if (new Set(own).size === 1 || !own.some(({ isChanged }) => isChanged)) return
  for (const row of own) row.expect(request.now ?? now, request.now !== undefined)
}
