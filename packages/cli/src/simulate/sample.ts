import { newKeyHash } from '@sluice/core/internal'

/** A sample of the keys. All requests of a chosen key are replayed. */
export interface Sample {
  readonly share: number
  has(key: string): boolean
}

/** @param share the share of the keys, from 0 to 1 */
export function createSample(share: number): Sample {
  if (!(share > 0 && share <= 1)) {
    throw new Error(`--sample: expected a share of the keys such as 10%, got ${share * 100}%`)
  }
  if (share === 1) return { share, has: () => true }
  const hash = newKeyHash()
  const bound = share * 2 ** 32
  return {
    share,
    has(key) {
      hash.hash(key.slice(0, 1000))
      return hash.high >>> 0 < bound
    },
  }
}
