import { sluiceError } from '../../errors.js'
import type { BoundPolicy } from '../../stores/store.js'
import { tell } from '../../warnings.js'

/** Plans and tenants with limits of their own are fewer, clients are more. */
const mostNames = 1000

/**
 * Looks for policies that are named by the client. A name stands for a kind of limit: in Redis, each name adds a row to the state of its key, and
 * that state is read and written as a whole.
 */
export function watchPolicyNames(limiter: string): (entries: readonly BoundPolicy[]) => void {
  const seen = new Set<string>()
  return function watch(entries) {
    if (seen.size >= mostNames) return
    for (const { name } of entries) seen.add(name)
    if (seen.size >= mostNames) {
      tell(sluiceError('SLUICE_POLICY_NAMES_MANY', limiter, seen.size, entries[0].name))
    }
  }
}
