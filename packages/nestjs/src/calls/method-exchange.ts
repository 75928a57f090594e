import { FetchExchange, type Settling } from '@sluice/core/http'

/** A method that a limit lets run. */
export interface Run {
  /** The limit has allowed the call. */
  allow(): void
  /** The method begins. */
  begin(): void
  /** The method is done, with the status that its result would have over HTTP. */
  end(status: number): void
}

/**
 * The exchange of a call whose transport has no response of Node. It is over when the methods are done that its limit lets run: one, or with the limit of a
 * GraphQL operation several. Its status is that of the method which failed worst.
 */
export class MethodExchange extends FetchExchange {
  #running = 0
  #status = 200
  #beginWithinMs = Infinity
  isOver = false

  /** @param signal finds the signal that aborts when the client disconnects. Called only if something depends on it */
  constructor(signal: () => AbortSignal | undefined) {
    super({
      get signal() {
        return signal()
      },
    })
  }

  override whenSent(callback: Settling, unreadMs: number, onDisconnect: boolean): void {
    this.#beginWithinMs = Math.min(this.#beginWithinMs, unreadMs)
    super.whenSent(callback, unreadMs, onDisconnect)
  }

  /** Adds a method. */
  run(): Run {
    let timer: NodeJS.Timeout | undefined
    let isDone = false
    const end = (status: number): void => {
      if (isDone) return
      isDone = true
      clearTimeout(timer)
      this.#status = Math.max(this.#status, status)
      this.#running--
      if (this.#running > 0) return
      this.isOver = true
      this.returned({ status: this.#status, body: null }, false)
    }
    this.#running++
    return {
      // No hook of Nest tells that a later guard has denied the call. A lease must not be renewed for ever then.
      allow: () => {
        if (this.#beginWithinMs === Infinity) return
        timer = setTimeout(end, Math.min(this.#beginWithinMs, longestTimerMs), 403).unref()
      },
      begin: () => clearTimeout(timer),
      end,
    }
  }
}

/** Node's timers hold 31 bits. */
const longestTimerMs = 2 ** 31 - 1

const signals = new WeakMap<object, AbortSignal>()

/** The signal of a connection or a response, with one listener for all calls on it. */
export function signalOf(connection: object, listen: (abort: () => void) => void): AbortSignal {
  const known = signals.get(connection)
  if (known !== undefined) return known
  const controller = new AbortController()
  signals.set(connection, controller.signal)
  listen(() => controller.abort())
  return controller.signal
}
