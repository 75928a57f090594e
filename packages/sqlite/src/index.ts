export { sqliteStore } from './sqlite-store.js'
export type { SqliteStoreOptions } from './sqlite-store.js'
export type { SqliteClient, SqliteStatement } from './client.js'
