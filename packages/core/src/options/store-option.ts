import type { OptionReader } from './readers.js'

/** The option `store`, with advice about other things that hold counts. */
export const storeOption: OptionReader<unknown> = {
  expected: 'memoryStore(), redisStore(client) or another store',
  read: (value) => (hasMethod(value, 'run') ? value : undefined),
  default: undefined,
  advice(value) {
    if (typeof value === 'string') return adviceForAddress(value)
    if (hasMethod(value, 'unsafe')) {
      return 'This looks like postgres.js: pass postgresStore(sql) of @sluice/postgres'
    }
    if (typeof value === 'function') return 'Call the function that makes the store'
    if (['load', 'save'].every((name) => hasMethod(value, name))) {
      return 'This looks like a database: pass databaseStore(database) of @sluice/core/database'
    }
    // The pools of MySQL have `execute` too.
    if (hasMethod(value, 'query') && !hasMethod(value, 'execute')) {
      return 'This looks like a pool of pg: pass postgresStore(pool) of @sluice/postgres'
    }
    if (hasMethod(value, 'prepare')) {
      return 'This looks like an SQLite database: pass sqliteStore(database) of @sluice/sqlite'
    }
    if (['evalsha', 'evalSha', 'sendCommand'].some((name) => hasMethod(value, name))) {
      return 'This looks like a Redis client: pass redisStore(client)'
    }
    if (['increment', 'incr', 'get', 'consume'].some((name) => hasMethod(value, name))) {
      return 'A store of another library cannot hold the counts of Sluice'
    }
    return undefined
  },
}

function adviceForAddress(address: string): string {
  return /^postgres(?:ql)?:/.test(address)
    ? 'Make a pool for the address, and pass postgresStore(pool) of @sluice/postgres'
    : 'Make a client for the address, and pass redisStore(client)'
}

function hasMethod(value: unknown, name: string): boolean {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  return typeof Reflect.get(value, name) === 'function'
}
