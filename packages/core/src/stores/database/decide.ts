import { sluiceError, type SluiceError } from '../../errors.js'
import { failureOf, type PendingRequest } from '../queue/pending.js'
import { run } from '../run.js'
import type { Answer } from '../store.js'
import { LoadedRow, type RowChange } from './loaded-row.js'
import { LoadedRows } from './loaded-rows.js'
import { mostBytes, type KnownRow } from './state-bytes.js'

/** The rows by which a transaction is decided. */
export interface Known {
  readonly rows: ReadonlyMap<string, KnownRow | undefined>
  /** The time of the database by which these rows are decided. */
  readonly now: number
  /** Whether the rows are those that this process remembers. */
  readonly isGuess: boolean
}

/** Requests that share rows, directly or through other requests, and are not answered yet. Their rows are saved together. */
export interface Transaction {
  /** Each key once. */
  readonly keys: readonly string[]
  /** In the order in which they were made. */
  requests: readonly PendingRequest[]
  /** Undefined: the rows have to be loaded. */
  known: Known | undefined
  /** Whether the database did not save it. */
  isAgain: boolean
}

/** A transaction that was decided, and has to be saved if it has changes. */
export interface DecidedTransaction {
  readonly transaction: Transaction
  /** The time by which it was decided. */
  readonly now: number
  /**
   * Whether its rows are the current ones, or a save will show it. Another process can have changed a row since it was remembered: it can have refunded what the
   * row denies, or shortened a row that would be too long. A save shows that for the rows that it changes.
   */
  readonly isSure: boolean
  readonly answers: readonly Answer[]
  readonly changes: readonly RowChange[]
}

type RowsByKey = Map<string, LoadedRow>

/**
 * Decides a transaction whose rows were loaded. Each request succeeds or fails by itself: one whose row cannot be read, or would be too long, changes no row.
 *
 * @param suspects the keys of rows that may fail a request, so that each request about them is checked. That takes as long as if they were sent one by one
 */
export function decide(
  database: string,
  transaction: Transaction,
  known: Known,
  suspects: ReadonlySet<string> = new Set(),
): DecidedTransaction {
  const { keys, requests } = transaction
  try {
    const decided = runAll(database, transaction, known, suspects)
    const long = decided.changes.filter(isTooLong).map(({ change }) => change.key)
    if (long.length === 0) return decided
    return decide(database, transaction, known, new Set([...suspects, ...long]))
  } catch (error) {
    if (suspects.size < keys.length) return decide(database, transaction, known, new Set(keys))
    const failure = failureOf(database, error)
    const answers = requests.map(() => failure)
    return { transaction, now: known.now, isSure: !known.isGuess, answers, changes: [] }
  }
}

function runAll(
  database: string,
  transaction: Transaction,
  known: Known,
  suspects: ReadonlySet<string>,
): DecidedTransaction {
  const { keys: all, requests } = transaction
  const { now } = known
  const rows: RowsByKey = new Map(
    all.map((key) => [key, new LoadedRow(key, known.rows.get(key), now)]),
  )
  const errors = new Map<string, SluiceError>()
  /** Rows that had no space for a consumption. Then the next one is not tried. */
  const full = new Set<string>()

  function rowsOf({ request, keys }: PendingRequest, from: RowsByKey): LoadedRows {
    const ofPolicies = keys.flatMap((key) => from.get(key) ?? [])
    return new LoadedRows(request, ofPolicies, now)
  }

  function runOn(from: RowsByKey, pending: PendingRequest): Answer {
    const loaded = rowsOf(pending, from)
    const { damaged } = loaded
    if (damaged === undefined) return run(loaded, pending.request)
    return errorOf('SLUICE_STORE_DAMAGED', damaged.key)
  }

  /** One error for all requests that fail for one reason. */
  function errorOf(
    code: 'SLUICE_STORE_DAMAGED' | 'SLUICE_STORE_FAILED',
    reason: string,
  ): SluiceError {
    const error = errors.get(reason) ?? sluiceError(code, database, reason)
    errors.set(reason, error)
    return error
  }

  /** Runs a request on copies of its rows. They replace the rows if it has not failed. */
  function runApart(pending: PendingRequest): Answer {
    const { request, keys } = pending
    const isConsumption = request.verb === 'consume'
    if (isConsumption && keys.some((key) => full.has(key))) {
      return errorOf('SLUICE_STORE_FAILED', tooLong)
    }
    const copies = new Map(
      keys.flatMap((key) => rows.get(key)?.copy() ?? []).map((row) => [row.key, row]),
    )
    try {
      const answer = runOn(copies, pending)
      const changes = [...copies.values()].flatMap(({ change }) => change ?? [])
      const long = changes.filter(isTooLong)
      if (long.length > 0) {
        if (isConsumption) for (const { change } of long) full.add(change.key)
        return errorOf('SLUICE_STORE_FAILED', tooLong)
      }
      // It may have made space.
      if (!isConsumption) full.clear()
      for (const [key, row] of copies) rows.set(key, row)
      return answer
    } catch (error) {
      return failureOf(database, error)
    }
  }

  const answers = requests.map((pending) =>
    pending.keys.some((key) => suspects.has(key)) ? runApart(pending) : runOn(rows, pending),
  )
  requests.forEach((pending, i) => {
    const answer = answers[i]
    if ('allowed' in answer && answer.allowed) rowsOf(pending, rows).expectTogether()
  })
  const changes = Array.from(rows.values()).flatMap((row) => row.change ?? [])
  const isSure = !known.isGuess || changes.length === all.length
  return { transaction, now, isSure, answers, changes }
}

const tooLong = `a row would have more than ${mostBytes} bytes`

function isTooLong({ change: { bytes } }: RowChange): boolean {
  return bytes !== undefined && bytes.length > mostBytes
}

/** The transactions of some requests. */
export function transactionsOf(pending: readonly PendingRequest[]): Transaction[] {
  /** For each key, all keys of its transaction. */
  const together = new Map<string, Set<string>>()
  for (const { keys } of pending) {
    const all = together.get(keys[0]) ?? new Set()
    for (const key of keys) {
      for (const other of together.get(key) ?? [key]) {
        all.add(other)
        together.set(other, all)
      }
    }
  }
  const requestsOf = new Map<Set<string>, PendingRequest[]>()
  for (const one of pending) {
    const all = together.get(one.keys[0]) ?? new Set()
    const requests = requestsOf.get(all) ?? []
    requestsOf.set(all, requests)
    requests.push(one)
  }
  return Array.from(requestsOf, ([keys, requests]) => {
    return { keys: [...keys], requests, known: undefined, isAgain: false }
  })
}
