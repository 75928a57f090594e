import { createHash } from 'node:crypto'
import { isKey, type Keys } from '../../limiter/bound-policies.js'
import { joinKey } from '../../keys.js'

/** Bytes of the hash: as many as base64 writes without padding, and enough that two clients never have the same. */
const keyBytes = 12

/**
 * Makes what finds the partition key of a policy, in base64: the beginning of the SHA-256 of the limiter's name and the key. It tells quotas
 * of one client apart, and says nothing of the key.
 */
export function partitionKeyOf(limiter: string, key: Keys): (policy: string) => string {
  return (policy) => {
    const own = isKey(key) ? key : key[policy]
    const hash = createHash('sha256').update(JSON.stringify([limiter, joinKey(own)]))
    return hash.digest().subarray(0, keyBytes).toString('base64')
  }
}
