import { unlimited, type Action } from './action.js'
import { after } from '../awaitable.js'
import type { Guard } from './guard.js'
import { joinFields, type EarlierHeaders, type HeaderField } from '../response/fields.js'

/**
 * Combines several guards. They check a request in order, until one of them denies it. Their headers are joined.
 */
export function inOrder<R, H>([guard, ...others]: readonly Guard<R, H>[]): Guard<R, H> {
  if (guard === undefined) return { check: () => unlimited, holds: false }
  if (others.length === 0) return guard
  const rest = inOrder(others)
  return {
    holds: guard.holds || rest.holds,
    check(view, response, earlier) {
      return after(guard.check(view, response, earlier), (action) =>
        action.type === 'continue'
          ? after(rest.check(view, response, afterFields(earlier, action.headers)), (next) =>
              merged(action, next),
            )
          : action,
      )
    },
  }
}

/** The headers of a response to which these fields will be written. */
function afterFields(earlier: EarlierHeaders, fields: readonly HeaderField[]): EarlierHeaders {
  if (fields.length === 0) return earlier
  const written = new Map(joinFields(earlier, fields))
  return { getHeader: (name) => written.get(name) ?? earlier.getHeader(name) }
}

/** The later decision wins. A header of the earlier action stays unless the later one writes it as well. */
function merged<H>(earlier: Action<H>, later: Action<H>): Action<H> {
  const written = new Map(earlier.headers)
  const joined = joinFields({ getHeader: (name) => written.get(name) }, later.headers)
  const headers = [...new Map([...written, ...joined])]
  if (later.type === 'handle') return { ...later, headers }
  return { ...later, decision: later.decision ?? earlier.decision, headers }
}
