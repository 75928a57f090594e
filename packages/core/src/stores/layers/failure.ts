import { SluiceError, sluiceErrorFrom } from '../../errors.js'
import type { Answer } from '../store.js'

/** Whether a store could not answer, as opposed to a call that can never be right or a store that was closed on purpose. */
export function hasFailed(answer: Answer): answer is SluiceError {
  return !('allowed' in answer) && failures.has(answer.code)
}

/**
 * Whether the store is not there, as opposed to one that is and answered one request with an error, such as that its key holds something
 * else: what came back in a call that worked has no cause.
 */
export function isAway(answer: Answer): answer is SluiceError {
  return hasFailed(answer) && (answer.code !== 'SLUICE_STORE_FAILED' || answer.cause !== undefined)
}

const failures: ReadonlySet<string> = new Set([
  'SLUICE_STORE_FAILED',
  'SLUICE_STORE_TIMEOUT',
  'SLUICE_STORE_UNAVAILABLE',
])

/** What a store that throws or rejects answers. */
export function failureOf(store: string, cause: unknown): SluiceError {
  if (cause instanceof SluiceError) return cause
  const reason = cause instanceof Error ? cause.message : String(cause)
  return sluiceErrorFrom(cause, 'SLUICE_STORE_FAILED', store, reason)
}
