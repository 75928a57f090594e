export { databaseOptionReaders, databaseStore } from './database-store.js'
export type { DatabaseStoreOptions } from './database-store.js'
export type { Change, Database, Loaded, Saved, Span, StoredRow } from './database.js'
