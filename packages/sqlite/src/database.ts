import { setTimeout as delay } from 'node:timers/promises'
import type { Change, Database, StoredRow } from '@sluice/core/database'
import { columnsOf, failureOf, isBusy, type SqliteClient } from './client.js'

/** How long the driver waits for another process. It blocks this process meanwhile, so the store, which does not, waits longer if it has to. */
const busyMs = 5

/** After this many new rows, twice as many rows are looked at, and those that have ended are deleted. */
const rowsPerClean = 100

/** How long a read tries. A reader waits for no writer, but for a process that repairs the file after a crash. */
const readMs = 200

/** How long a ping tries. While a connection has locked the file, there can be five pings in a second. */
const pingMs = 20

/** A save ends this long before its deadline, so that its error arrives before the timeout. */
const earlyMs = 20

/** The longest pause between two attempts. */
const longestPauseMs = 8

/** Keeps the rows of a store in a table of SQLite. The client waits for locks long enough that the file can be opened. */
export function sqliteDatabase(client: SqliteClient, table: string): Database {
  const name = `"${table.replaceAll('"', '""')}"`
  client.exec('pragma journal_mode = wal')
  client.exec('pragma synchronous = normal')
  client.exec(
    `create table if not exists ${name} (key text primary key, version integer not null, ends integer not null, state blob not null) without rowid`,
  )
  const writeNothing = client.prepare(`delete from ${name} where 0`)
  writeNothing.run()
  client.exec(`pragma busy_timeout = ${busyMs}`)
  const begin = client.prepare('begin immediate')
  const commit = client.prepare('commit')
  const get = client.prepare(`select version, state from ${name} where key = ?`)
  const endOf = client.prepare(`select ends from ${name} where key = ?`)
  const add = client.prepare(`insert or replace into ${name} values (?, ?, ?, ?)`)
  const set = client.prepare(
    `update ${name} set version = version + 1, ends = ?, state = ? where key = ? and version = ?`,
  )
  const remove = client.prepare(`delete from ${name} where key = ? and version = ?`)
  const keyAfter = client.prepare(
    `select key from ${name} where key > ? order by key limit 1 offset ${2 * rowsPerClean - 1}`,
  )
  const removeEnded = client.prepare(`delete from ${name} where key > ? and key <= ? and ends <= ?`)
  const removeLastEnded = client.prepare(`delete from ${name} where key > ? and ends <= ?`)
  let rowsAdded = 0
  /** The last key that was looked at. */
  let cleanedTo = ''

  function rowOf(key: string): StoredRow | undefined {
    const columns = columnsOf(get.get(key))
    if (columns === undefined) return undefined
    const [version, bytes] = columns
    // A client can be set to read numbers as bigint.
    return { version: Number(version), bytes: bytes instanceof Uint8Array ? bytes : nothing }
  }

  /** Returns the new versions of a group. Undefined if one of its rows has changed. */
  function saveGroup(changes: readonly Change[], now: number): readonly unknown[] | undefined {
    const areCurrent = changes.every(({ key, version }) =>
      version === undefined ? isFree(key, now) : rowOf(key)?.version === version,
    )
    return areCurrent ? changes.map(write) : undefined
  }

  /** Whether a key has no row, or one that has ended. */
  function isFree(key: string, now: number): boolean {
    const [ends] = columnsOf(endOf.get(key)) ?? [0]
    return Number(ends) <= now
  }

  /** Writes a row that has not changed, and returns its new version. */
  function write({ key, version, bytes, endsAt }: Change): number {
    if (bytes === undefined) {
      remove.run(key, Number(version ?? 0))
      return 0
    }
    const ends = Math.ceil(endsAt)
    if (version === undefined) {
      // A random number, so that the versions of a row that was deleted or replaced do not return.
      const first = Math.floor(Math.random() * 2 ** 52)
      add.run(key, first, ends, bytes)
      rowsAdded++
      return first
    }
    set.run(ends, bytes, key, Number(version))
    return Number(version) + 1
  }

  /** Deletes rows that have ended, as often as new rows are made: so the file has no more of them than twice the others. */
  function cleanSome(now: number): void {
    for (; rowsAdded >= rowsPerClean; rowsAdded -= rowsPerClean) {
      const [last] = columnsOf(keyAfter.get(cleanedTo)) ?? []
      if (typeof last === 'string') removeEnded.run(cleanedTo, last, now)
      else removeLastEnded.run(cleanedTo, now)
      cleanedTo = typeof last === 'string' ? last : ''
    }
  }

  /** Runs a function in a transaction. */
  function inTransaction<T>(run: () => T): T {
    begin.run()
    try {
      const result = run()
      commit.run()
      return result
    } catch (error) {
      rollBack()
      throw error
    }
  }

  function rollBack(): void {
    try {
      client.exec('rollback')
    } catch {
      // After some errors, such as a full disk, SQLite has done it.
    }
  }

  return {
    name: 'sqlite',

    async load(keys) {
      // Without keys, a write shows whether a decision could be saved.
      if (keys.length === 0) {
        await untilUnlocked(Date.now() + pingMs, () => inTransaction(() => writeNothing.run()))
      }
      return untilUnlocked(Date.now() + readMs, () => {
        return { now: Date.now(), rows: keys.map(rowOf) }
      })
    },

    save: (groups, { from, until }) =>
      untilUnlocked(until - earlyMs, () =>
        inTransaction(() => {
          // After the lock, for which the driver can have waited.
          const now = Date.now()
          const isInSpan = from <= now && now <= until
          const rows = new Map<string, StoredRow | undefined>()
          const versions = groups.map((changes) => {
            const saved = isInSpan ? saveGroup(changes, now) : undefined
            if (saved === undefined) for (const { key } of changes) rows.set(key, rowOf(key))
            return saved
          })
          cleanSome(now)
          return { now, groups: versions, rows }
        }),
      ),
  }
}

/** Runs a function. While the file is locked, it tries again until a time. */
async function untilUnlocked<T>(until: number, run: () => T): Promise<T> {
  for (;;) {
    try {
      return run()
    } catch (error) {
      if (!isBusy(error) || Date.now() >= until) throw failureOf(error)
      await delay(Math.random() * longestPauseMs)
    }
  }
}

const nothing = new Uint8Array()
