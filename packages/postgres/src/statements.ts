import { createHash } from 'node:crypto'
import type { PostgresClient } from './client.js'
import { driverOf } from './client.js'
import { failureOf, isLost, isMissing } from './errors.js'

/** Any number. It identifies the lock of the processes that create the table at the same time. */
const migrationLock = 7_853_284_913

export interface StatementSettings {
  /** The quoted name, for errors. */
  readonly table: string
  readonly prepare: boolean
  /** The SQL to run if the table does not exist. Undefined: it is an error. */
  readonly migration: string | undefined
}

/** Runs a statement and returns its rows, each as a list. Without values, it runs several statements in one transaction and returns no rows. */
export type Run = (
  text: string,
  values?: readonly unknown[],
) => Promise<readonly (readonly unknown[])[]>

/** Makes the function that runs the statements of a store. It rejects with an error that has its remedy. */
export function createStatements(client: PostgresClient, settings: StatementSettings): Run {
  const { table, prepare, migration } = settings
  const driver = driverOf(client)
  const names = new Map<string, string>()
  let isPrepared = prepare
  let migrating: Promise<void> | undefined

  /** Two stores, or two versions of this package, can share the connections of a pool or a pooler. So each text has a name of its own. */
  function nameOf(text: string): string | undefined {
    if (!isPrepared) return undefined
    let name = names.get(text)
    if (name === undefined) {
      name = `sluice-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
      names.set(text, name)
    }
    return name
  }

  /** One process at a time, because `create or replace` fails if two run it at once. */
  function migrated(sql: string): Promise<void> {
    migrating ??= driver
      .run(`select pg_advisory_xact_lock(${migrationLock});\n${sql}`)
      .finally(() => (migrating = undefined))
    return migrating
  }

  return async function run(text, values) {
    async function send(name?: string): Promise<readonly (readonly unknown[])[]> {
      if (values !== undefined) return driver.rows(text, values, name)
      await driver.run(text)
      return []
    }

    try {
      const name = values && nameOf(text)
      try {
        return await send(name)
      } catch (error) {
        // Nothing ran in either case, so the statement is sent again.
        if (name !== undefined && isLost(error)) {
          // Other calls can have lost theirs at the same time.
          if (isPrepared) warnOfPooler()
          isPrepared = false
        } else if (migration !== undefined && isMissing(error)) await migrated(migration)
        else throw error
        return await send()
      }
    } catch (error) {
      throw failureOf(error, table)
    }
  }
}

function warnOfPooler(): void {
  process.emitWarning(
    'postgresStore: a connection has lost a prepared statement. A pooler shares its connections, or another program deallocates their statements. The store ' +
      'continues without prepared statements. To begin without them, pass "prepare: false".',
    { type: 'SluiceWarning', code: 'SLUICE_PREPARED_LOST' },
  )
}
