export { startPostgres } from './server.js'
export type { PostgresServer, PostgresSettings } from './server.js'
export { usePostgres } from './use-postgres.js'
