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
