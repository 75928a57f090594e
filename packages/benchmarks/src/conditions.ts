import { availableParallelism } from 'node:os'
import type { Redis } from 'ioredis'

/** What figures depend on that any reader can have as well. */
export interface Conditions {
  readonly node: string
  readonly redis: string
  readonly cores: number
}

export async function conditionsOf(admin: Redis): Promise<Conditions> {
  const [, redis = 'unknown'] = /^redis_version:(.*?)\r?$/m.exec(await admin.info('server')) ?? []
  return { node: process.versions.node, redis, cores: availableParallelism() }
}
