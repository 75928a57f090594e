export { postgresStore } from './postgres-store.js'
export type { PostgresStoreOptions } from './postgres-store.js'
export { postgresSchema } from './schema.js'
export type { PostgresSchemaOptions } from './schema.js'
export type {
  PgClient,
  PgQuery,
  PostgresClient,
  PostgresJsClient,
  PostgresJsQuery,
} from './client.js'
