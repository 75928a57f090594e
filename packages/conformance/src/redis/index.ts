export { startCluster, startRedis, startSentinels } from './servers.js'
export type { RedisSentinels, RedisServer } from './servers.js'
export { useCluster, useRedis } from './use-redis.js'
export type { TestRedis } from './use-redis.js'
