export { sqliteDrivers, temporaryFile } from './drivers.js'
export type { SqliteConnection, SqliteDriver } from './drivers.js'
export { startWorkers } from './workers.js'
export type { Done, Work } from './worker.js'
