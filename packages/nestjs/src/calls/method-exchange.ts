import { setMaxListeners } from 'node:events'
import { HttpException } from '@nestjs/common'
import {
  FetchExchange,
  noteDenial,
  whenOver,
  type AfterResponse,
  type NodeResponse,
} from '@sluice/core/http'
import { RateLimitException } from '../rate-limit-exception.js'

/** A method that a limit lets run. */
export interface Run {
  /** The limit has allowed the call. */
  allow(): void
  /** The method begins. */
  begin(): void
  /** The method is done, with the status that its result would have over HTTP. Undefined if a limit has denied it. */
  end(status: number | undefined): void
  /** The method has failed. */
  fail(error: unknown): void
}

/** The connection of a call. Its functions are called only if something depends on them. */
export interface Connection {
  /** The signal that aborts when the client disconnects. */
  signal(): AbortSignal | undefined
  /** Resolves when the response is over that the call belongs to. Undefined if no response is in reach. */
  over?(): Promise<unknown> | undefined
}

/**
 * The exchange of a call whose transport has no response of Node. It is over when the methods are done that its limit lets run: one, or with the limit of a
 * GraphQL operation several. Its status is that of the method which failed worst, or that of a denial if limits have denied them all.
 */
export class MethodExchange extends FetchExchange {
  readonly #connection: Connection
  #running = 0
  #status: number | undefined
  #leaseMs = Infinity
  #idle: { timer?: NodeJS.Timeout } | undefined
  isOver = false

  constructor(connection: Connection) {
    super({
      get signal() {
        return connection.signal()
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
    const over = this.#connection.over?.()
    if (over === undefined) {
      this.#idle = {}
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
    clearTimeout(this.#idle?.timer)
    this.#running++
    return {
      // No hook of Nest tells that a later guard has denied the call, or that a global interceptor has responded to it.
      allow: endLater,
      begin: () => {
        clearTimeout(timer)
        // A method may continue after the response, but its units are not held for ever.
        void this.#connection.over?.()?.then(endLater)
      },
      end,
      fail: (error) => end(statusOf(error)),
    }
  }

  #leave(): void {
    this.#running--
    if (this.#running > 0) return
    if (this.#idle === undefined) this.#finish()
    else this.#idle.timer = setTimeout(() => this.#finish(), idleMs).unref()
  }

  #finish(): void {
    this.isOver = true
    noteDenial(this, this.#status === undefined)
    this.returned({ status: this.#status ?? 429, body: null }, false)
  }
}

/** The status that Nest would send for an error over HTTP. Undefined for the denial of a limit. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof RateLimitException) return undefined
  return error instanceof HttpException ? error.getStatus() : 500
}

/** Without a lease, a method that has not begun after this time will not begin. */
const longestPauseMs = 10_000

/** Node's timers hold 31 bits. */
const longestTimerMs = 2 ** 31 - 1

/** An operation over a WebSocket is over when none of its methods has run for this long. */
const idleMs = 100

const overs = new WeakMap<object, Promise<unknown>>()

/** Resolves when a response is over, with one listener for all calls of the response. */
export function overOf(response: NodeResponse): Promise<unknown> {
  const known = overs.get(response) ?? new Promise((resolve) => whenOver(response, resolve))
  overs.set(response, known)
  return known
}

const signals = new WeakMap<object, AbortSignal>()

/** The signal of a connection or a response, with one listener for all calls on it. */
export function signalOf(connection: object, listen: (abort: () => void) => void): AbortSignal {
  const known = signals.get(connection)
  if (known !== undefined) return known
  const controller = new AbortController()
  // Each call of the connection listens.
  setMaxListeners(0, controller.signal)
  signals.set(connection, controller.signal)
  listen(() => controller.abort())
  return controller.signal
}

/** The signal of a response, which aborts if the client disconnects before the response is sent. */
export function signalOfResponse(response: NodeResponse): AbortSignal {
  return signalOf(response, (abort) =>
    whenOver(response, ({ aborted }) => {
      if (aborted) abort()
    }),
  )
}
