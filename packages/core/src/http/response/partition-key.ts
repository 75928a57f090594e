import { isKey, type Keys } from '../../limiter/bound-policies.js'
import { base64Of, sha256BytesOf } from '../../digests.js'
import { joinKey } from '../../keys.js'

/** The bytes of the hash that are used: base64 writes 12 bytes without padding, and 96 bits avoid collisions. */
const keyBytes = 12

/**
 * Makes the function that returns the partition key of a policy in base64: the first bytes of the SHA-256 of the limiter's name and the key. It
 * distinguishes the quotas of a client without revealing the key.
 */
export function partitionKeyOf(limiter: string, key: Keys): (policy: string) => string {
  return (policy) => {
    const own = isKey(key) ? key : key[policy]
    const hash = sha256BytesOf(JSON.stringify([limiter, joinKey(own)]))
    return base64Of(hash.subarray(0, keyBytes))
  }
}
