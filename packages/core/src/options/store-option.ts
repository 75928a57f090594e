import type { OptionReader } from './readers.js'

/** The option `store`, with advice about other things that hold counts. */
export const storeOption: OptionReader<unknown> = {
  expected: 'memoryStore() or redisStore(client)',
  read: (value) => (hasMethod(value, 'run') ? value : undefined),
  default: undefined,
  advice(value) {
    if (typeof value === 'string')
      return 'Make a client for the address, and pass redisStore(client)'
    if (typeof value === 'function') return 'Call the function that makes the store'
    if (['load', 'save'].every((name) => hasMethod(value, name))) {
      return 'This looks like a database: pass databaseStore(database) of @sluice/core/database'
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

function hasMethod(value: unknown, name: string): boolean {
  return (
    typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'function'
  )
}
