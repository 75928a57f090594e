import type { Redis } from 'ioredis'
import { RedisStore, type RedisReply } from 'rate-limit-redis'

/** The store of express-rate-limit over ioredis. */
export function rateLimitRedis(client: Redis): RedisStore {
  return new RedisStore({
    sendCommand: async (command: string, ...args: string[]) =>
      replyOf(await client.call(command, ...args)),
  })
}

function replyOf(reply: unknown): RedisReply {
  if (isScalar(reply)) return reply
  if (Array.isArray(reply) && reply.every(isScalar)) return reply
  throw new TypeError(`unexpected reply ${String(reply)}`)
}

function isScalar(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}
