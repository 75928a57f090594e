import type { Action } from './action.js'
import { after } from '../awaitable.js'
import type { Guard } from './guard.js'
import { joinFields } from '../answer/joined-fields.js'
import type { RequestView } from '../request/request-view.js'
import type { NodeResponse } from '../request/response.js'

/**
 * Several guards as one. They are asked in order: each has to let a request go on, and the first that does not answers it. Their
 * headers are joined.
 */
export function inOrder<R, H>([guard, ...others]: readonly Guard<R, H>[]): Guard<R, H> {
  if (guard === undefined) return { check: () => goOn, holds: false }
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

const goOn: Action<never> = { type: 'continue', decision: undefined, headers: [] }

/** What was decided last stands; what was said before it and not again stands, too. */
function merged<H>(first: Action<H>, next: Action<H>): Action<H> {
  const written = new Map(first.headers)
  const joined = joinFields((name) => written.get(name), next.headers)
  const headers = [...new Map([...written, ...joined])]
  if (next.type === 'handle') return { ...next, headers }
  return { ...next, decision: next.decision ?? first.decision, headers }
}
