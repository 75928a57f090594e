import { createServerClock, processTime } from '../../clock.js'
import { sluiceError, warn, type SluiceError } from '../../errors.js'
import { failureOf, hasFailed, type Batch, type PendingRequest } from '../queue/pending.js'
import type { Receiver } from '../pipeline/pipeline.js'
import type { Database, Saved } from './database.js'
import { decide, transactionsOf, type DecidedTransaction, type Transaction } from './decide.js'
import { RememberedRows } from './remembered-rows.js'
import { readRow } from './state-bytes.js'

/** The most rows of one call. */
export const mostRows = 256

/** The longest pause before transactions are loaded again that the database did not save. */
const longestPauseMs = 8

/** One save in this many deletes some rows that have ended. */
const savesPerClean = 100

/** The time after its deadline for which the store tries to undo what a late answer has taken. */
const undoMs = 30_000

/**
 * Makes the function that decides the requests of a call, in attempts. An attempt loads the rows of some transactions, and saves others that are decided. The
 * transactions that a save has found changed are decided again by their current rows, until they are saved or their time is over.
 */
export function createAttempts(
  database: Database,
  rememberedRows: number,
  { complete, expire, replied }: Receiver,
): (batch: Batch) => Promise<void> {
  const clock = createServerClock(-Infinity)
  const remembered = new RememberedRows(rememberedRows)
  /** Whether a reply has told the time of the database. */
  let isTimed = false
  let isCleaning = false

  /** Returns the reply to a call, and its time in whole milliseconds. */
  async function timed<T extends { readonly now: number }>(
    call: () => Promise<T>,
  ): Promise<readonly [reply: T, now: number]> {
    const sentAt = processTime.monotonic()
    const reply = await call()
    if (!Number.isFinite(reply.now)) throw new TypeError(`it returned ${reply.now} as its time`)
    const now = Math.floor(reply.now)
    clock.learn(sentAt, processTime.monotonic(), now)
    isTimed = true
    return [reply, now]
  }

  /** Gives transactions the remembered rows, if there is a time to decide them by. */
  function guess(transactions: readonly Transaction[]): void {
    if (!isTimed || !remembered.isUsed) return
    // Both clocks are cut to whole milliseconds, so the estimate can be one ahead.
    const estimate = clock.at(processTime.monotonic()) - 1
    // All transactions of a save have one span, which begins at the time by which they were decided.
    const keys = transactions.flatMap((transaction) => transaction.keys)
    const now = Math.max(estimate, ...keys.map((key) => remembered.decidedAt(key)))
    for (const transaction of transactions) {
      const rows = new Map(transaction.keys.map((key) => [key, remembered.get(key, now)]))
      transaction.known = { rows, now, isGuess: true }
    }
  }

  async function load(transactions: readonly Transaction[]): Promise<readonly Transaction[]> {
    if (transactions.length === 0) return []
    const keys = transactions.flatMap((transaction) => transaction.keys)
    try {
      const [loaded, now] = await timed(() => database.load(keys))
      const rows = new Map(keys.map((key, i) => [key, readRow(loaded.rows[i])]))
      for (const [key, row] of rows) remembered.set(key, row, now)
      for (const transaction of transactions) transaction.known = { rows, now, isGuess: false }
      return transactions
    } catch (error) {
      fail(transactions, error)
      return []
    }
  }

  async function save(decided: readonly DecidedTransaction[]): Promise<readonly Transaction[]> {
    if (decided.length === 0) return []
    const transactions = decided.map(({ transaction }) => transaction)
    const from = Math.max(...decided.map(({ now }) => now))
    const end = Math.min(...requestsOf(transactions).map(endOf))
    const span = { from, until: Math.max(from, clock.at(end) + 1) }
    const groups = decided.map(({ changes }) => changes.map(({ change }) => change))
    try {
      const [saved, now] = await timed(() => database.save(groups, span))
      if (requestsOf(transactions).some(({ isAnswered }) => !isAnswered)) replied()
      const open = transactions.filter((_, i) => !completeSaved(decided[i], saved.groups[i]))
      for (const transaction of open) retry(transaction, saved, now)
      clean()
      return open
    } catch (error) {
      fail(transactions, error)
      return []
    }
  }

  /** Answers a transaction that was saved, and returns whether it was. */
  function completeSaved(
    decided: DecidedTransaction,
    versions: readonly unknown[] | undefined,
  ): boolean {
    if (versions === undefined) return false
    decided.changes.forEach(({ change: { key, bytes, endsAt }, states }, i) => {
      const row = bytes && { version: versions[i], states, size: bytes.length }
      remembered.set(key, row, decided.now, endsAt)
    })
    answer(decided)
    return true
  }

  function answer({ transaction, answers }: DecidedTransaction): void {
    const errors = answers.filter(hasFailed)
    // The database has replied, so the breaker must not open.
    if (errors.length > 0) replied()
    for (const error of errors) if (error.code === 'SLUICE_STORE_DAMAGED') warn(error)
    complete(transaction.requests, answers)
  }

  /** Takes the current rows from the reply, if it has all of them. */
  function retry(transaction: Transaction, { rows }: Saved, now: number): void {
    const current = new Map(transaction.keys.map((key) => [key, readRow(rows?.get(key))]))
    for (const [key, row] of current) remembered.set(key, row, now)
    for (const pending of transaction.requests) pending.hasConflicted = true
    const hasAll = rows !== undefined && transaction.keys.every((key) => rows.has(key))
    transaction.known = hasAll ? { rows: current, now, isGuess: false } : undefined
    transaction.isAgain = true
  }

  function fail(transactions: readonly Transaction[], cause: unknown): void {
    const error = failureOf(database.name, cause)
    if (error.code === 'SLUICE_STORE_REFUSED') warn(error)
    failAll(requestsOf(transactions), error)
  }

  function failAll(requests: readonly PendingRequest[], error: SluiceError): void {
    complete(
      requests,
      requests.map(() => error),
    )
  }

  /** The transactions without the requests whose time is over. */
  function inTime(transactions: readonly Transaction[]): readonly Transaction[] {
    const now = processTime.monotonic()
    const late = requestsOf(transactions).filter((pending) => endOf(pending) <= now)
    if (late.length === 0) return transactions
    expire(late)
    for (const transaction of transactions) {
      transaction.requests = transaction.requests.filter((pending) => endOf(pending) > now)
    }
    return transactions.filter(({ requests }) => requests.length > 0)
  }

  function clean(): void {
    if (database.clean === undefined || isCleaning || Math.random() * savesPerClean >= 1) return
    isCleaning = true
    // A failure is not that of a request, and the next save that fails reports its cause.
    const ended = (): boolean => (isCleaning = false)
    // It can be a function of an application, which throws or returns no promise.
    Promise.resolve()
      .then(() => database.clean?.())
      .then(ended, ended)
  }

  /** Loads the rows of some transactions, and saves others. Returns those that remain open. */
  async function attempt(transactions: readonly Transaction[]): Promise<readonly Transaction[]> {
    // Without the current rows the database is busy. With them, a pause would only give way to other processes.
    const isBusy = transactions.some(({ isAgain, known }) => isAgain && known === undefined)
    if (isBusy) await pause(Math.random() * longestPauseMs)
    const absent: Transaction[] = []
    const changed: DecidedTransaction[] = []
    for (const transaction of transactions) {
      const { known } = transaction
      const decided = known && decide(database.name, transaction, known)
      if (decided?.isSure !== true) absent.push(transaction)
      else if (decided.changes.length > 0) changed.push(decided)
      else answer(decided)
    }
    return (await Promise.all([save(changed), load(absent)])).flat()
  }

  return async function run({ pending }) {
    const wide = pending.filter(isWide)
    if (wide.length > 0) failAll(wide, sluiceError('SLUICE_STORE_FAILED', database.name, tooWide))
    let open: readonly Transaction[] = transactionsOf(pending.filter((one) => !isWide(one)))
    guess(open)
    try {
      while (open.length > 0) open = inTime(await attempt(open))
    } catch (error) {
      // A reply that is not of the form of the contract.
      fail(open, error)
    }
  }
}

const tooWide = `a request has more than ${mostRows} keys`

function isWide({ keys }: PendingRequest): boolean {
  return keys.length > mostRows && new Set(keys).size > mostRows
}

function requestsOf(transactions: readonly Transaction[]): readonly PendingRequest[] {
  return transactions.flatMap(({ requests }) => requests)
}

/** The latest monotonic time at which a request may still take or refund units. */
function endOf({ isUndo, dueAt }: PendingRequest): number {
  return isUndo ? dueAt + undoMs : dueAt
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
