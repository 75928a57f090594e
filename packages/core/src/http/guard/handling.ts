import { longestTimerMs } from '../../limiter/waiting/pause.js'
import { isPromise } from '../awaitable.js'
import { whenOver, type NodeResponse, type ResponseOutcome } from '../request/response.js'

type Follow = (work: PromiseLike<unknown>) => void

/** For each response, the callbacks of the limiters that hold a lease until its handler is done. */
const followers = new WeakMap<NodeResponse, Set<Follow>>()

/**
 * Passes the return value of a handler to the limiters of the response. A handler that returns a promise is done when the promise settles. For any
 * other value, and if an adapter does not call this, the handler is done when it ends the response.
 */
export function followHandler(response: NodeResponse, returned: unknown): void {
  const following = followers.get(response)
  if (following === undefined || !isPromise(returned)) return
  for (const follow of following) follow(returned)
}

export interface Handling {
  /** Called if the connection ends while the handler is still running. */
  disconnected(): void
  /** Called when the connection or response has ended and the handler is done, or `longestMs` after the end. */
  done(outcome: ResponseOutcome): void
}

/** Calls back when the handler of a response is done, even if the client disconnects earlier. */
export function whenHandled(
  response: NodeResponse,
  longestMs: number,
  { disconnected, done }: Handling,
): void {
  let outcome: ResponseOutcome | undefined
  let timer: NodeJS.Timeout | undefined
  let isFollowed = false
  let running = 0

  const following = followers.get(response) ?? new Set()
  followers.set(response, following)
  following.add(follow)
  whenOver(response, (ended) => {
    outcome = ended
    if (isFollowed ? running === 0 : response.writableEnded) return finish()
    timer = setTimeout(finish, Math.min(longestMs, longestTimerMs))
    timer.unref()
    whenEnded(response, finish)
    disconnected()
  })

  function follow(work: PromiseLike<unknown>): void {
    isFollowed = true
    running++
    work.then(settled, settled)
  }

  function settled(): void {
    running--
    if (running === 0 && outcome !== undefined) finish()
  }

  function finish(): void {
    if (outcome === undefined || !following.delete(follow)) return
    clearTimeout(timer)
    done(outcome)
  }
}

/**
 * Calls back when a handler ends a response whose client has disconnected. `end` is wrapped because Node emits no event in two cases: a pipelined
 * response that waits for an earlier one, and a response of HTTP/2.
 */
function whenEnded(response: NodeResponse, then: () => void): void {
  const end = response.end.bind(response)
  response.end = (...chunk) => {
    const ended = end(...chunk)
    then()
    return ended
  }
}
