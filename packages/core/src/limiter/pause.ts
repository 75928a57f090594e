/** A timer with a longer delay would fire at once. */
export const longestTimerMs: number = 2 ** 31 - 1

/** Waits. Rejects with the signal's reason when it is aborted. */
export async function pause(lengthMs: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  for (let left = lengthMs; left > 0; left -= longestTimerMs) {
    await timer(Math.min(left, longestTimerMs), signal)
  }
}

function timer(lengthMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timeout = setTimeout(end, lengthMs)
    signal?.addEventListener('abort', end)
    function end(): void {
      clearTimeout(timeout)
      signal?.removeEventListener('abort', end)
      if (signal?.aborted === true) reject(signal.reason)
      else resolve()
    }
  })
}

/** Resolves to whether the event occurs within this time. Rejects with the signal's reason when it is aborted. */
export async function occursWithin(
  lengthMs: number,
  event: Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const stop = new AbortController()
  const either = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal])
  const end = pause(lengthMs, either)
  // If the event occurs first, the abort below rejects this promise, and nothing awaits it.
  end.catch(() => {})
  try {
    return await Promise.race([event.then(() => true), end.then(() => false)])
  } finally {
    stop.abort()
  }
}
