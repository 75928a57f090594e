import { pause } from './pause.js'

/** A row in which each one's turn comes when all before it have left. */
export interface Turns {
  /** Takes the place behind all others. */
  enter(): Turn
  /** Whether all have left. */
  isEmpty(): boolean
}

export interface Turn {
  /** Settles when all before have left. */
  readonly come: Promise<unknown>
  /** Leaves the row, once. */
  leave(): void
}

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  let size = 0

  return {
    enter() {
      const come = last
      let settle: () => void = () => {}
      const left = new Promise<void>((resolve) => (settle = resolve))
      last = come.then(() => left)
      size++
      return {
        come,
        leave() {
          size--
          settle()
        },
      }
    },
    isEmpty: () => size === 0,
  }
}

/** True when the turn has come, false if `until` came first, by `performance.now()`. Rejects with the signal's reason when it is aborted. */
export async function turnBefore(
  { come }: Turn,
  until: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const over = new AbortController()
  const either = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal])
  const tooLate = pause(until - performance.now(), either)
  // Ended below when the turn came first; nobody is told.
  tooLate.catch(() => {})
  try {
    return await Promise.race([come.then(() => true), tooLate.then(() => false)])
  } finally {
    over.abort()
  }
}
