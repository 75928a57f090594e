import { unlimited, type Action } from './action.js'
import { after } from '../awaitable.js'
import type { Guard } from './guard.js'
import { joinFields } from '../response/fields.js'
import type { RequestView } from '../request/request-view.js'
import type { NodeResponse } from '../request/response.js'

/**
 * Combines several guards. They check a request in order, until one of them denies it. Their headers are joined.
 */
export function inOrder<R, H>([guard, ...others]: readonly Guard<R, H>[]): Guard<R, H> {
  if (guard === undefined) return { check: () => unlimited, holds: false }
  if (others.length === 0) return guard
  const rest = inOrder(others)
  return {
    holds: guard.holds || rest.holds,
    check(view: RequestView<R>, response: NodeResponse): Action<H> | Promise<Action<H>> {
      return after(guard.check(view, response), (action) =>
        action.type === 'continue'
          ? after(rest.check(view, response), (next) => merged(action, next))
          : action,
      )
    },
  }
}

/** The later decision wins. A header of the earlier action stays unless the later one writes it as well. */
function merged<H>(earlier: Action<H>, later: Action<H>): Action<H> {
  const written = new Map(earlier.headers)
  const joined = joinFields((name) => written.get(name), later.headers)
  const headers = [...new Map([...written, ...joined])]
  if (later.type === 'handle') return { ...later, headers }
  return { ...later, decision: later.decision ?? earlier.decision, headers }
}
