export { startCluster, startRedis, startSentinels } from './servers.js'
export type { RedisCluster, RedisSentinels, RedisServer, RedisSettings } from './servers.js'
export { useCluster, useRedis } from './use-redis.js'
export type { TestCluster, TestRedis } from './use-redis.js'
