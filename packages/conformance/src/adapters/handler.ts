import { PassThrough } from 'node:stream'
import { SluiceError, type Keys } from '@sluice/core'
import type { Answer, App } from './adapter.js'
import { until } from './until.js'

/** The handler behind the limiter, and the requests that have reached it. */
export interface Handler extends Pick<App, 'handle' | 'failed'> {
  /** The arrival times of the requests at the handler, by `performance.now()`. */
  readonly reached: readonly number[]
  /** The errors that the framework's error handling has received. */
  readonly errors: readonly unknown[]
  /** The keys of the requests that asked for theirs. */
  readonly keys: readonly Keys[]
  /** Waits until `count` requests are held. */
  holding(count: number): Promise<void>
  /** Releases the held requests. */
  letGo(): void
}

/**
 * Answers as the header `x-answer` asks: a status; `throw`; `hold`, an answer that waits for its release (`hold 401` and `hold throw`: that
 * answer); `stream` and `events`, which begin at once and end at their release; `decision`, the decision that the adapter attached to the
 * request; `key`, after which the key of the request is in `keys`. Without the header, 200 and "hello".
 */
export function createHandler(): Handler {
  const reached: number[] = []
  const errors: unknown[] = []
  const keys: Keys[] = []
  const held: (() => void)[] = []

  function streamed(type: string, first: string, last: string): Answer {
    const body = new PassThrough()
    body.write(first)
    held.push(() => body.end(last))
    return { status: 200, type, body }
  }

  return {
    reached,
    errors,
    keys,

    async handle({ header, response, decision, keyOf }) {
      reached.push(performance.now())
      if (response.headersSent) return undefined
      const [, hold, asked] = /^(hold)? ?(.*)$/.exec(header('x-answer') ?? '') ?? []
      if (hold !== undefined) await new Promise<void>((resolve) => held.push(resolve))
      switch (asked) {
        case '':
          return hello
        case 'throw':
          throw new Error('thrown')
        case 'stream':
          return streamed('text/plain', 'begun, ', 'ended')
        case 'events':
          return streamed('text/event-stream', 'data: 1\n\n', 'data: 2\n\n')
        case 'key':
          keys.push(await keyOf())
          return hello
        case 'decision':
          return { status: 200, type: 'application/json', body: JSON.stringify(decision ?? null) }
        default:
          return { ...hello, status: Number(asked) }
      }
    },

    failed(error) {
      errors.push(error)
      return error instanceof SluiceError
        ? { ...hello, status: error.status ?? 500, body: error.code }
        : { ...hello, status: 500, body: String(error) }
    },

    holding: async (count) => until(`${count} requests are held`, () => held.length === count),

    letGo() {
      for (const end of held.splice(0)) end()
    },
  }
}

const hello: Answer = { status: 200, type: 'text/plain; charset=utf-8', body: 'hello' }
