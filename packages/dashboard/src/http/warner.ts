import { warnOfFailure } from '@sluice/core/http'

/** A failure that each request causes must not fill the log. */
const quietMs = 60_000

/** Reports errors as warnings of the process, at most one in a minute. */
export function createWarner(): (error: unknown) => void {
  let quietUntil = -Infinity
  return function warn(error) {
    const now = performance.now()
    if (now < quietUntil) return
    quietUntil = now + quietMs
    warnOfFailure(error)
  }
}
