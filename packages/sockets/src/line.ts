import { setMaxListeners } from 'node:events'
import { Failure, type Answer } from './denial.js'
import { hold } from './hold.js'

/** The events or messages of one socket, in the order in which they came. */
export interface Line {
  /** Asks at once, and passes the answer to `use` after all earlier ones. Returns false, without asking, if too many wait. */
  add(ask: (signal: AbortSignal) => Promise<Answer>, use: (answer: Answer) => void): boolean
  /** The number of those that wait. */
  readonly waiting: number
  /** Ends all waits: later answers are not used. */
  close(): void
}

/** A socket whose client sends more while the store answers is denied: the memory of a socket must have a bound. */
const mostWaiting = 256

interface Waiting {
  answer: Answer | undefined
  readonly use: (answer: Answer) => void
}

export function createLine(): Line {
  const waiting: Waiting[] = []
  const closed = new AbortController()
  // Each event that a leaky queue delays listens.
  setMaxListeners(mostWaiting, closed.signal)

  function settleFirst(): void {
    const [first] = waiting
    if (first?.answer === undefined) return
    const { answer, use } = first
    waiting.shift()
    try {
      if (!closed.signal.aborted) use(answer)
      else if (!(answer instanceof Failure)) hold(answer)()
    } finally {
      // Also if the application's handler throws.
      settleFirst()
    }
  }

  async function wait(own: Waiting, answer: Promise<Answer>): Promise<void> {
    own.answer = await answer
    settleFirst()
  }

  return {
    get waiting() {
      return waiting.length
    },

    add(ask, use) {
      if (waiting.length >= mostWaiting) return false
      const own: Waiting = { answer: undefined, use }
      waiting.push(own)
      void wait(own, ask(closed.signal))
      return true
    },

    close() {
      closed.abort()
    },
  }
}
