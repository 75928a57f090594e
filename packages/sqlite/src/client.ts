import { SluiceError } from '@sluice/core'

/** The methods that the store uses of a database of `node:sqlite` or better-sqlite3. */
export interface SqliteClient {
  exec(sql: string): unknown
  prepare(sql: string): SqliteStatement
}

/** A prepared statement of such a database. */
export interface SqliteStatement {
  get(...values: unknown[]): unknown
  run(...values: unknown[]): { readonly changes: number | bigint }
}

/** Returns whether a value is such a database, and answers at once: other drivers have methods of these names that return promises. */
export function isSqliteClient(value: unknown): value is SqliteClient {
  if (typeof value !== 'object' || value === null) return false
  return ['exec', 'prepare'].every((method) => typeof Reflect.get(value, method) === 'function')
}

/** The columns of a row, which a database can be set to return as an array. */
export function columnsOf(row: unknown): readonly unknown[] | undefined {
  return typeof row === 'object' && row !== null ? Object.values(row) : undefined
}

/** The error of a statement. A table that is missing stays so until somebody creates it. */
export function failureOf(error: unknown): unknown {
  if (isBusy(error)) {
    const message =
      'the sqlite store failed: another connection has locked the file, or the application has a transaction open on this one.'
    return new SluiceError('SLUICE_STORE_FAILED', message, { cause: error })
  }
  if (!(error instanceof Error && error.message.startsWith('no such table'))) return error
  const message = `the sqlite store refuses its calls: ${error.message}. Somebody has deleted the table or the file. Start the process again: sqliteStore creates the table.`
  return new SluiceError('SLUICE_STORE_REFUSED', message, { cause: error })
}

/** SQLITE_BUSY: another connection has the lock. Its number is the lower byte of `errcode` in node:sqlite; better-sqlite3 has its name. */
const busy = 5

/**
 * Returns whether a statement failed because of a lock, or because the application has begun a transaction on the same connection. Its own writes would
 * become a part of that transaction, and be lost with it.
 */
export function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('errcode' in error && typeof error.errcode === 'number' && error.errcode % 256 === busy) {
    return true
  }
  if ('code' in error && String(error.code).startsWith('SQLITE_BUSY')) return true
  return error.message.includes('within a transaction')
}
