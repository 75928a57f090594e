// The servers that rows of the table start and harm.
export { startCluster } from '../redis-cluster.js'
export type { RedisCluster } from '../redis-cluster.js'
export { startSentinels } from '../redis-sentinel.js'
export { startRedis } from '../redis-server.js'
export type { RedisServer, RedisSettings } from '../redis-server.js'
