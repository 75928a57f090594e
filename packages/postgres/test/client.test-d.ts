// Checked by the compiler alone: npm run check:types.
import type { AsyncStore } from '@sluice/core'
import type pg from 'pg'
import type postgres from 'postgres'
import { expectTypeOf } from 'vitest'
import {
  postgresStore,
  type PgClient,
  type PostgresClient,
  type PostgresJsClient,
} from '../src/index.js'

declare const pool: pg.Pool
declare const sql: postgres.Sql
declare const typed: postgres.Sql<{ readonly point: { readonly x: number } }>

expectTypeOf(postgresStore(pool)).toEqualTypeOf<AsyncStore>()
expectTypeOf(postgresStore(sql, { migrate: true })).toEqualTypeOf<AsyncStore>()
expectTypeOf(postgresStore(typed)).toEqualTypeOf<AsyncStore>()
expectTypeOf<pg.Pool>().toExtend<PgClient>()
expectTypeOf<pg.Client>().toExtend<PgClient>()
expectTypeOf<pg.PoolClient>().toExtend<PgClient>()
expectTypeOf<postgres.Sql>().toExtend<PostgresJsClient>()
expectTypeOf<postgres.ReservedSql>().toExtend<PostgresJsClient>()

// @ts-expect-error: an address is not a client
postgresStore('postgres://localhost/app')
// @ts-expect-error: nor is a result
expectTypeOf<pg.QueryResult>().toExtend<PostgresClient>()
