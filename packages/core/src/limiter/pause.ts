/** A timer with a longer delay would fire at once. */
export const longestTimerMs: number = 2 ** 31 - 1

/** Waits. Rejects with the signal's reason when it is aborted. */
export async function pause(lengthMs: number, signal: AbortSignal | undefined): Promise<void> {
  await new Sleeper().sleep(lengthMs, signal)
}

/** Waits, and can be woken. */
export class Sleeper {
  #isWoken = false
  #end = (): void => {}

  /** Ends the wait. If it is not waiting now, its next wait ends at once, so that no change is missed. */
  wake(): void {
    this.#isWoken = true
    this.#end()
  }

  /** Waits for this time, or until it is woken: then the result is false. Rejects with the signal's reason when it is aborted. */
  async sleep(lengthMs: number, signal: AbortSignal | undefined): Promise<boolean> {
    signal?.throwIfAborted()
    for (let left = lengthMs; left > 0 && !this.#isWoken; left -= longestTimerMs) {
      await this.#timer(Math.min(left, longestTimerMs), signal)
    }
    const isOver = !this.#isWoken
    this.#isWoken = false
    return isOver
  }

  async #timer(lengthMs: number, signal: AbortSignal | undefined): Promise<void> {
    const waits = signal && waitsOf(signal)
    let timeout: ReturnType<typeof setTimeout> | undefined
    await new Promise<void>((resolve) => {
      timeout = setTimeout(resolve, lengthMs)
      waits?.add(resolve)
      this.#end = resolve
    })
    // Here, and not by the caller of `wake`: on Cloudflare Workers, the number of a timer means another one in another request.
    clearTimeout(timeout)
    waits?.delete(this.#end)
    signal?.throwIfAborted()
  }
}

const bySignal = new WeakMap<AbortSignal, Set<() => void>>()

/** The waits that a signal ends. They have one listener, because Node warns of a signal that has more than ten. */
function waitsOf(signal: AbortSignal): Set<() => void> {
  const known = bySignal.get(signal)
  if (known !== undefined) return known
  const waits = new Set<() => void>()
  bySignal.set(signal, waits)
  signal.addEventListener('abort', () => waits.forEach((end) => end()))
  return waits
}
