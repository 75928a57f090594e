import type { RedisClient } from '../../../src/index.js'

/** A client of tests that send nothing. */
export const unusedClient: RedisClient = {
  evalSha: () => Promise.reject(new Error('unused')),
  eval: () => Promise.reject(new Error('unused')),
  isCluster: false,
}
