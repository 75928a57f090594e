import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SqliteClient } from '@sluice/sqlite'

/** A connection to a file. */
export interface SqliteConnection extends SqliteClient {
  close(): unknown
}

/** A driver of SQLite. */
export interface SqliteDriver {
  readonly name: 'node:sqlite' | 'better-sqlite3'
  open(file: string): SqliteConnection
  openReadOnly(file: string): SqliteConnection
  /** Reads whole numbers as bigint. */
  openForBigints(file: string): SqliteConnection
}

type Connect = new (file: string, options?: object) => SqliteConnection

/**
 * The drivers that this Node.js can load: `node:sqlite` from 22.13 on, and better-sqlite3 if it was installed by this Node.js, whose binary it contains.
 *
 * @throws Error if there is none
 */
export function sqliteDrivers(): readonly [SqliteDriver, ...SqliteDriver[]] {
  const [first, ...others] = [nodeSqlite(), betterSqlite()].flatMap((driver) => driver ?? [])
  if (first === undefined) {
    throw new Error(
      'This Node.js has no node:sqlite, and better-sqlite3 has no binary for it. Run: npm run setup -- --sqlite',
    )
  }
  return [first, ...others]
}

/** The path of a file in a new folder, and a function that removes the folder. */
export function temporaryFile(): { readonly file: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-sqlite-'))
  return {
    file: join(folder, 'limits.db'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function nodeSqlite(): SqliteDriver | undefined {
  const builtin: unknown = process.getBuiltinModule('node:sqlite')
  if (typeof builtin !== 'object' || builtin === null) return undefined
  const Connection: unknown = Reflect.get(builtin, 'DatabaseSync')
  if (!isConnect(Connection)) return undefined
  return {
    name: 'node:sqlite',
    open: (file) => new Connection(file),
    openReadOnly: (file) => new Connection(file, { readOnly: true }),
    openForBigints: (file) => new Connection(file, { readBigInts: true }),
  }
}

function betterSqlite(): SqliteDriver | undefined {
  try {
    const Connection: unknown = createRequire(import.meta.url)('better-sqlite3')
    if (!isConnect(Connection)) return undefined
    new Connection(':memory:').close()
    return {
      name: 'better-sqlite3',
      open: (file) => new Connection(file),
      openReadOnly: (file) => new Connection(file, { readonly: true }),
      openForBigints(file) {
        const connection = new Connection(file)
        Reflect.get(connection, 'defaultSafeIntegers').call(connection)
        return connection
      },
    }
  } catch {
    return undefined
  }
}

function isConnect(value: unknown): value is Connect {
  return typeof value === 'function'
}
