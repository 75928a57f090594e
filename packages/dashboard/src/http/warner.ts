import { warnOfFailure } from '@sluice/core/http'
import { isRecord } from '@sluice/core/internal'

/** A failure that each request causes must not fill the log. */
const quietMs = 60_000

/** The codes come from errors of the application too. */
const mostCodes = 100

/** Reports errors as warnings of the process, at most one of each code in a minute. An error without a code counts by its name. */
export function createWarner(): (error: unknown) => void {
  const quietUntil = new Map<unknown, number>()
  return function warn(error) {
    const { code, name } = isRecord(error) ? error : {}
    const kind = code ?? name
    const now = performance.now()
    if (now < (quietUntil.get(kind) ?? 0)) return
    if (quietUntil.size >= mostCodes) quietUntil.clear()
    quietUntil.set(kind, now + quietMs)
    warnOfFailure(error)
  }
}
