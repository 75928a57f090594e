import { randomUUID } from 'node:crypto'
import {
  countedKey,
  type Keys,
  type Limiter,
  type PolicyChoice,
  type PolicyStatus,
  type Status,
} from '@sluice/core'
import type { Awaitable } from '@sluice/core/http'
import { isKey, isNotLimited } from '@sluice/core/internal'

/** The counts of a key, and the names of the policies under which the store has seen it. */
export interface SeenStatus extends Status {
  readonly seen: ReadonlySet<string>
}

/** A key that no store has seen. Its quotas are not full if a bucket begins with a part of its tokens. */
const unseen = countedKey(randomUUID())

/** Reads the counts of a key, and compares them with those of a key that no store has seen. */
export async function seenStatus(
  limiter: Limiter,
  keys: Keys,
  options?: PolicyChoice,
  asked: Awaitable<Status> = limiter.status(keys, options),
): Promise<SeenStatus> {
  const [status, fresh] = await Promise.all([asked, limiter.status(unseenIn(keys), options)])
  const names = Object.keys(status.policies)
  const seen = names.filter((name) => differ(status.policies[name], fresh.policies[name]))
  return { ...status, seen: new Set(seen) }
}

function unseenIn(keys: Keys): Keys {
  if (isKey(keys)) return isNotLimited(keys) ? keys : unseen
  const each = Object.entries(keys).map(
    ([name, key]) => [name, isNotLimited(key) ? key : unseen] as const,
  )
  return Object.fromEntries(each)
}

/** The status of an older copy of the core lacks some of the numbers. */
function differ(status: PolicyStatus, fresh: PolicyStatus): boolean {
  const { used, resetMs, blockedMs, exemptMs, granted } = status
  const isOverridden = blockedMs > 0 || exemptMs > 0 || granted !== undefined
  return isOverridden || used !== fresh.used || resetMs !== fresh.resetMs
}
