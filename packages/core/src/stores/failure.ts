import { SluiceError, sluiceErrorFrom } from '../errors.js'
import type { Answer } from './store.js'

/** Returns whether the store could not answer, as opposed to an invalid call or a store that was closed on purpose. */
export function hasFailed(answer: Answer): answer is SluiceError {
  return !('allowed' in answer) && failures.has(answer.code)
}

/**
 * Returns whether the store is unavailable, as opposed to a store that answered a single request with an error, such as a key of another type: an
 * error inside a successful reply has no `cause`. A store that other processes keep changing is available.
 */
export function isUnavailable(answer: Answer): answer is SluiceError {
  if (!hasFailed(answer) || answer.code === 'SLUICE_STORE_CONTENDED') return false
  return answer.code !== 'SLUICE_STORE_FAILED' || answer.cause !== undefined
}

const failures: ReadonlySet<string> = new Set([
  'SLUICE_STORE_FAILED',
  'SLUICE_STORE_TIMEOUT',
  'SLUICE_STORE_UNAVAILABLE',
  'SLUICE_STORE_CONTENDED',
])

/** Converts a value that a store threw to the error with which it answers its requests. */
export function failureOf(store: string, cause: unknown): SluiceError {
  if (cause instanceof SluiceError) return cause
  const reason = cause instanceof Error ? cause.message : String(cause)
  return sluiceErrorFrom(cause, 'SLUICE_STORE_FAILED', store, reason)
}
