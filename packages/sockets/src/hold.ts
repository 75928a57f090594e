import type { Decision } from '@sluice/core'
import { keepLease } from '@sluice/core/internal'

/**
 * Holds the lease of a decision until the returned function is called.
 *
 * @param isUsed while it returns false, the lease is not renewed, and expires
 */
export function hold({ lease }: Decision, isUsed: () => boolean = () => true): () => void {
  if (lease === undefined) return () => {}
  const renew = (): boolean | Promise<boolean> => isUsed() && lease.renew()
  const release = keepLease({ ...lease, renew })
  let isHeld = true
  return function letGo() {
    if (!isHeld) return
    isHeld = false
    void settled(release)
  }
}

/** A lease that cannot be released expires. */
async function settled(release: () => unknown): Promise<void> {
  try {
    await release()
  } catch {}
}
