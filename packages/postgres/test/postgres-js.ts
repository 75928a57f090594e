import type { PostgresServer } from '@sluice/test-kit/postgres'
import type { Database } from '@sluice/core/database'
import { describeDatabase } from '@sluice/testing'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { postgresDatabase, type PostgresDatabaseSettings } from '../src/database.js'

/** The settings of a database of these tests. */
export const usual: PostgresDatabaseSettings = {
  schema: 'public',
  table: 'sluice',
  logged: false,
  prepare: true,
  migrate: false,
}

/** Whether a test of the contract sends many requests. It depends little on the client. */
export function isTraffic(name: string): boolean {
  return name.startsWith('counts 1,000')
}

/** The chosen tests of the contract, through postgres.js. */
export function describePostgresJs(
  server: Pick<PostgresServer, 'url'>,
  isChosen: (name: string) => boolean,
): void {
  describe('postgres.js', () => {
    const settings = { ...usual, table: `it's "quoted"`, migrate: true }
    const opened: Database[] = []
    /** The instances take turns. */
    let next = 0
    let sql: postgres.Sql
    beforeAll(() => {
      sql = postgres(server.url, { max: 4, onnotice() {} })
      for (let i = 0; i < 2; i++) opened.push(postgresDatabase(sql, settings))
    })
    afterAll(() => sql.end())

    describeDatabase('a table that the first call creates', () => opened[next++ % 2], {
      describe,
      it(name, run, timeoutMs) {
        if (isChosen(name)) it(name, run, timeoutMs)
      },
    })
  })
}
