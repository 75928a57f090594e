import { setMaxListeners } from 'node:events'
import { HttpException } from '@nestjs/common'
import {
  FetchExchange,
  noteDenial,
  whenOver,
  type AfterResponse,
  type NodeResponse,
} from '@sluice/core/http'
import { longestTimerMs } from '@sluice/core/internal'
import { getOrAdd } from '../get-or-add.js'
import { RateLimitException } from '../rate-limit-exception.js'

/** A method that a limit lets run. */
export interface Run {
  /** The limit has allowed the call. */
  allow(): void
  /** The method begins. */
  begin(): void
  /** The method is done, with the status that its result would have over HTTP. Undefined if a limit has denied it. */
  end(status: number | undefined): void
}

/**
 * The exchange of a call whose transport has no response of Node. It is over when the methods are done that its limit lets run: one, or with the limit of a
 * GraphQL operation several. Its status is that of the method which failed worst, or that of a denial if limits have denied them all.
 */
export class MethodExchange extends FetchExchange {
  readonly #connection: () => Connection | undefined
  #running = 0
  #status: number | undefined
  #leaseMs = Infinity
  #idleMs = 0
  #idle: NodeJS.Timeout | undefined
  isOver = false

  /** @param connection called only if something depends on the connection */
  constructor(connection: () => Connection | undefined) {
    super({
      get signal() {
        return connection()?.signal
      },
    })
    this.#connection = connection
  }

  override whenDone(
    callback: AfterResponse,
    longestMs: number,
    disconnected: (() => void) | undefined,
  ): void {
    this.#leaseMs = Math.min(this.#leaseMs, longestMs)
    super.whenDone(callback, longestMs, disconnected)
  }

  /** Stays open between the methods of an operation: until its response is over, or without a response until no method has run for a while. */
  stayOpen(): void {
    const over = this.#connection()?.over
    if (over === undefined) {
      this.#idleMs = idleMs
      return
    }
    this.#running++
    void over.then(() => this.#leave())
  }

  /** Adds a method. */
  run(): Run {
    let timer: NodeJS.Timeout | undefined
    let isDone = false
    const end = (status: number | undefined): void => {
      if (isDone) return
      isDone = true
      clearTimeout(timer)
      if (status !== undefined) this.#status = Math.max(this.#status ?? 200, status)
      this.#leave()
    }
    const endLater = (): void => {
      const waitMs = this.#leaseMs === Infinity ? longestPauseMs : this.#leaseMs
      if (!isDone) timer = setTimeout(end, Math.min(waitMs, longestTimerMs), 403).unref()
    }
    clearTimeout(this.#idle)
    this.#running++
    return {
      // No hook of Nest tells that a later guard has denied the call, or that a global interceptor has responded to it.
      allow: endLater,
      begin: () => {
        clearTimeout(timer)
        // A method may continue after the response, but its units are not held for ever.
        void this.#connection()?.over?.then(endLater)
      },
      end,
    }
  }

  #leave(): void {
    this.#running--
    if (this.#running > 0) return
    if (this.#idleMs === 0) this.#finish()
    else this.#idle = setTimeout(() => this.#finish(), this.#idleMs).unref()
  }

  #finish(): void {
    this.isOver = true
    noteDenial(this, this.#status === undefined)
    this.returned({ status: this.#status ?? 429, body: null }, false)
  }
}

/** The status that Nest would send for an error over HTTP. Undefined for the denial of a limit. */
export function statusOf(error: unknown): number | undefined {
  if (error instanceof RateLimitException) return undefined
  return error instanceof HttpException ? error.getStatus() : 500
}

/** Without a lease, a method that has not begun after this time will not begin. */
const longestPauseMs = 10_000

/** An operation over a WebSocket is over when none of its methods has run for this long. */
const idleMs = 100

/** The connection of calls, which share its listeners. */
export interface Connection {
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
  /** Resolves when the response is over that the calls belong to. Undefined if no response is in reach. */
  readonly over: Promise<void> | undefined
}

const connections = new WeakMap<object, Connection>()

/** The connection of a response or a socket. */
export function connectionOf(
  owner: object,
  listen: (abort: () => void) => Connection['over'],
): Connection {
  return getOrAdd(connections, owner, () => {
    const controller = new AbortController()
    const { signal } = controller
    // Each call of the connection listens.
    setMaxListeners(0, signal)
    return { signal, over: listen(() => controller.abort()) }
  })
}

/** The connection of a response, whose client may leave before the response is sent. */
export function connectionOfResponse(response: NodeResponse): Connection {
  return connectionOf(response, async (abort) => {
    await new Promise<void>((resolve) =>
      whenOver(response, ({ aborted }) => {
        if (aborted) abort()
        resolve()
      }),
    )
  })
}
