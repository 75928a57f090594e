// Checked by the compiler alone: npm run check:types. The types of Node.js 20, by which this repository compiles, have no node:sqlite.
// oxlint-disable-next-line typescript/triple-slash-reference
/// <reference path="../node_modules/types-of-node-22/sqlite.d.ts" />
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { AsyncStore } from '@sluice/core'
import type Database from 'better-sqlite3'
import { expectTypeOf } from 'vitest'
import { sqliteStore, type SqliteClient, type SqliteStatement } from '../src/index.js'

declare const builtin: DatabaseSync
declare const other: Database.Database

expectTypeOf(sqliteStore(builtin)).toEqualTypeOf<AsyncStore>()
expectTypeOf(sqliteStore(other, { table: 'limits' })).toEqualTypeOf<AsyncStore>()
expectTypeOf<DatabaseSync>().toExtend<SqliteClient>()

expectTypeOf<Database.Database>().toExtend<SqliteClient>()
expectTypeOf<StatementSync>().toExtend<SqliteStatement>()
expectTypeOf<Database.Statement>().toExtend<SqliteStatement>()

// @ts-expect-error: a path is not a database
sqliteStore('limits.db')
// @ts-expect-error: nor is a statement
sqliteStore(other.prepare('select 1'))
