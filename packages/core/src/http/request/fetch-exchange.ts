import { letProcessEnd } from '../../runtime.js'
import { longestTimerMs } from '../../limiter/pause.js'
import type { AfterResponse, Exchange, ResponseOutcome } from './exchange.js'

/** The signal of a web Request. It aborts when the client disconnects. */
export type Signal = Pick<AbortSignal, 'aborted' | 'addEventListener' | 'removeEventListener'>

/** The body of a web Response. */
export type Body = ReadableStream<Uint8Array>

interface ResponseWithBody {
  readonly status: number
  readonly body: Body | null
}

/**
 * A request and its response in a server whose handler takes a web Request and returns a Response. The adapter creates it for each limit of a request, and
 * reports how the handler ends: `returned` or `failed`.
 */
export class FetchExchange implements Exchange {
  readonly headersSent: boolean = false
  readonly request: { readonly signal?: Signal | undefined }
  readonly #whenOver: AfterResponse[] = []
  readonly #whenDone: AfterResponse[] = []
  readonly #listeners: (() => void)[] = []
  readonly #running: Promise<void>[] = []
  #unreadMs: number = longestTimerMs

  /** @param request its signal is read only if something depends on it, because some servers create the signal at the first access */
  constructor(request: { readonly signal?: Signal | undefined }) {
    this.request = request
  }

  get isDisconnected(): boolean {
    return this.request.signal?.aborted === true
  }

  /** Settles when all work after the response is done. Undefined if there is none. */
  get settled(): Promise<unknown> | undefined {
    return this.#running.length === 0 ? undefined : Promise.all(this.#running)
  }

  whenOver(callback: AfterResponse): void {
    this.#whenOver.push(callback)
  }

  whenDone(
    callback: AfterResponse,
    longestMs: number,
    disconnected: (() => void) | undefined,
  ): void {
    let isCalled = false
    const once: AfterResponse = async (outcome) => {
      if (isCalled) return
      isCalled = true
      await callback(outcome)
    }
    this.#whenDone.push(once)
    this.#unreadMs = Math.min(this.#unreadMs, longestMs)
    this.whenDisconnected(disconnected ?? (() => this.#call([once], left)))
  }

  whenDisconnected(callback: () => void): () => void {
    const { signal } = this.request
    if (signal === undefined) return () => {}
    if (signal.aborted) callback()
    else signal.addEventListener('abort', callback)
    const cancel = (): void => signal.removeEventListener('abort', callback)
    this.#listeners.push(cancel)
    return cancel
  }

  /**
   * The handler has returned a response. If a limit holds a lease, this returns the body that has to replace that of the response: it reports its end. Only
   * then is the body of the response read, because some servers make it at the first access. If it throws, as for a locked body, call `failed`.
   *
   * @param isSent whether the server sends the body, which it does not for a HEAD request
   */
  returned(response: ResponseWithBody, isSent: boolean): Body | undefined {
    const done = this.#whenDone
    if (this.#whenOver.length + done.length === 0) return undefined
    const { status } = response
    for (const cancel of this.#listeners) cancel()
    // Deno aborts the signal when it upgrades the connection.
    const aborted = status !== 101 && this.isDisconnected
    const body = done.length > 0 && isSent && !aborted ? response.body : null
    const followed = body === null ? undefined : followedBody(body, this.#unreadMs)
    this.#call(this.#whenOver.splice(0), { status, aborted })
    if (followed === undefined) this.#call(done, { status, aborted })
    else this.#running.push(afterBody(followed.read, status, done))
    return followed?.body
  }

  /** The handler, or the work on its response, has thrown an error, which the server will answer with this status. */
  failed(status: number): void {
    this.returned({ status, body: null }, false)
  }

  #call(callbacks: readonly AfterResponse[], outcome: ResponseOutcome): void {
    this.#running.push(...callbacks.map(async (callback) => callback(outcome)))
  }
}

/** The outcome for a client that disconnects while the handler runs. nginx logs this status. */
const left: ResponseOutcome = { status: 499, aborted: true }

async function afterBody(
  read: Promise<boolean>,
  status: number,
  callbacks: readonly AfterResponse[],
): Promise<void> {
  const aborted = !(await read)
  await Promise.all(callbacks.map(async (callback) => callback({ status, aborted })))
}

interface Followed {
  readonly body: Body
  /** Resolves when the body is over: with true if it was read to its end, with false if it failed, was cancelled, or is not read at all. */
  readonly read: Promise<boolean>
}

/**
 * Follows a body until it ends. A server begins to read at once, so a body that is not read for `unreadMs` is that of a response that was replaced by
 * another one.
 */
function followedBody(body: Body, unreadMs: number): Followed {
  let over: (wasRead: boolean) => void = () => {}
  const read = new Promise<boolean>((resolve) => (over = resolve))
  const reader = body.getReader()
  const unread = setTimeout(over, Math.min(unreadMs, longestTimerMs), false)
  letProcessEnd(unread)
  const followed = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(unread)
        try {
          const { done, value } = await reader.read()
          if (!done) return controller.enqueue(value)
          over(true)
          controller.close()
        } catch (error) {
          over(false)
          controller.error(error)
        }
      },
      async cancel(reason) {
        clearTimeout(unread)
        over(false)
        await reader.cancel(reason)
      },
    },
    // Without a queue of its own, the stream reads a chunk only when the server asks for one.
    { highWaterMark: 0 },
  )
  return { body: followed, read }
}
