/** A queue: each turn begins when all turns before it have ended. */
export interface Turns {
  /** Adds a turn after all others. */
  enter(): Turn
  /** Whether all turns have ended. */
  isEmpty(): boolean
}

export interface Turn {
  /** Resolves when all turns before this one have ended. */
  readonly begun: Promise<unknown>
  /** Ends this turn. Must be called exactly once. */
  end(): void
}

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  let size = 0

  return {
    enter() {
      const begun = last
      let resolveEnded: () => void = () => {}
      const ended = new Promise<void>((resolve) => (resolveEnded = resolve))
      last = begun.then(() => ended)
      size++
      return {
        begun,
        end() {
          size--
          resolveEnded()
        },
      }
    },
    isEmpty: () => size === 0,
  }
}

/**
 * Resolves to true when the turn begins, or to false at `until`, by `performance.now()`, if the turn has not begun by then. Rejects with the signal's
 * reason when it is aborted.
 */
export async function turnBefore(
  { begun }: Turn,
  until: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const over = new AbortController()
  const either = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal])
  const tooLate = pause(until - performance.now(), either)
  // If the turn begins first, the abort below rejects this promise, and nothing awaits it.
  tooLate.catch(() => {})
  try {
    return await Promise.race([begun.then(() => true), tooLate.then(() => false)])
  } finally {
    over.abort()
  }
}

/** A timer with a longer delay would fire at once. */
export const longestTimerMs: number = 2 ** 31 - 1

/** Waits. Rejects with the signal's reason when it is aborted. */
export async function pause(lengthMs: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  let left = lengthMs
  while (left > 0) {
    const step = Math.min(left, longestTimerMs)
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(done, step)
      signal?.addEventListener('abort', abort)
      function done(): void {
        signal?.removeEventListener('abort', abort)
        resolve()
      }
      function abort(): void {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
        reject(signal?.reason)
      }
    })
    left -= step
  }
}
