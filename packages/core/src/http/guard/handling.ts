import { longestTimerMs } from '../../limiter/waiting/pause.js'
import { isPromise } from '../awaitable.js'
import { whenOver, type NodeResponse, type ResponseOutcome } from '../request/response.js'

type Follow = (work: PromiseLike<unknown>) => void

/** The limiters that hold something until the handler of a response is done. */
const followers = new WeakMap<NodeResponse, Set<Follow>>()

/**
 * Tells the limiters of a response what its handler returned: a handler that returns a promise is done when that settles. An adapter calls this
 * wherever it can see a handler. For any other value, and where it is not called, a handler is done when it has ended the response.
 */
export function followHandler(response: NodeResponse, returned: unknown): void {
  const following = followers.get(response)
  if (following === undefined || !isPromise(returned)) return
  for (const follow of following) follow(returned)
}

/** The two moments of a request that holds something. */
export interface Handling {
  /** The exchange has ended, and the handler still works. */
  left(): void
  /** The exchange has ended and the handler is done, or `longestMs` have passed since the exchange ended. */
  done(outcome: ResponseOutcome): void
}

/** Calls back when the handler of a response is done, be the client still there or not. */
export function whenHandled(
  response: NodeResponse,
  longestMs: number,
  { left, done }: Handling,
): void {
  let outcome: ResponseOutcome | undefined
  let timer: NodeJS.Timeout | undefined
  let isFollowed = false
  let working = 0

  const following = followers.get(response) ?? new Set()
  followers.set(response, following)
  following.add(follow)
  whenOver(response, (ended) => {
    outcome = ended
    if (isFollowed ? working === 0 : response.writableEnded) return finish()
    timer = setTimeout(finish, Math.min(longestMs, longestTimerMs))
    timer.unref()
    whenEnded(response, finish)
    left()
  })

  function follow(work: PromiseLike<unknown>): void {
    isFollowed = true
    working++
    work.then(settled, settled)
  }

  function settled(): void {
    working--
    if (working === 0 && outcome !== undefined) finish()
  }

  function finish(): void {
    if (outcome === undefined || !following.delete(follow)) return
    clearTimeout(timer)
    done(outcome)
  }
}

/**
 * Calls back when a handler ends a response whose client has left. Node has no event for that: a response that waits behind another one, or one
 * of HTTP/2, does not tell.
 */
function whenEnded(response: NodeResponse, then: () => void): void {
  const end = response.end.bind(response)
  response.end = (...chunk) => {
    const ended = end(...chunk)
    then()
    return ended
  }
}
