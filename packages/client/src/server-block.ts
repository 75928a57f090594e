import { notLimited, type Keys, type Limiter } from '@sluice/core'
import { isRecord, joinKey } from '@sluice/core/internal'

type KeyPerPolicy = Extract<Keys, Readonly<Record<string, unknown>>>

/** The last block of each key that has not ended, by limiter. */
const last = new WeakMap<Limiter, Map<string, Promise<boolean>>>()

/**
 * Blocks a key for all processes, each of its policies unless it is blocked for longer already. Calls for one key run in turn, so that a shorter time does not
 * replace a longer one. False if the key cannot be blocked: it has no policy that counts, the store failed, or the key is exempt, and a block would
 * end the exemption.
 */
export async function blockKey(limiter: Limiter, key: Keys, waitMs: number): Promise<boolean> {
  const lengthMs = Math.min(Math.ceil(waitMs), longestBlockMs)
  const turns = last.get(limiter) ?? new Map<string, Promise<boolean>>()
  last.set(limiter, turns)
  const id = JSON.stringify(key)
  const before = turns.get(id)
  const turn = (async () => {
    await before
    return blockFor(limiter, key, lengthMs)
  })()
  turns.set(id, turn)
  const isBlocked = await turn
  if (turns.get(id) === turn) turns.delete(id)
  return isBlocked
}

/** A server must not be able to stop an application for longer. */
const longestBlockMs = 3_600_000

async function blockFor(limiter: Limiter, key: Keys, lengthMs: number): Promise<boolean> {
  try {
    const policies = Object.entries((await limiter.status(key)).policies)
    if (policies.some(([, { exemptMs }]) => exemptMs > 0)) return false
    // `unlimited` ignores blocks.
    const counted = policies.filter(([, { limit }]) => limit !== Infinity)
    const shorter = counted
      .filter(([, { blockedMs }]) => blockedMs < lengthMs)
      .map(([name]) => name)
    const keys = isPerPolicy(key) ? key : Object.fromEntries(policies.map(([name]) => [name, key]))
    // A bare number below 1000 would cause a warning.
    if (shorter.length > 0) await limiter.block(partOf(keys, new Set(shorter)), `${lengthMs}ms`)
    return counted.length > 0
  } catch {
    return false
  }
}

function isPerPolicy(key: Keys): key is KeyPerPolicy {
  return isRecord(key) && joinKey(key) === undefined
}

/** The keys of these policies. The others are left out. */
function partOf(keys: KeyPerPolicy, names: ReadonlySet<string>): KeyPerPolicy {
  return Object.fromEntries(
    Object.entries(keys).map(([name, key]) => [name, names.has(name) ? key : notLimited]),
  )
}
