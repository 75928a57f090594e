import { setImmediate } from 'node:timers/promises'

/** Long work that can be interrupted wherever it yields. */
export type Slices<T> = Generator<undefined, T, undefined>

/** Interrupts long work, so that requests are answered in between. */
export type Pause = () => Promise<void> | undefined

/** Does all of the work at once. */
export function finished<T>(work: Slices<T>): T {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}

/** Does the work, and pauses in between. */
export async function finishedInSlices<T>(work: Slices<T>, pause: Pause): Promise<T> {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    const pausing = pause()
    if (pausing !== undefined) await pausing
  }
}

/** How long the work may hold the event loop. A garbage collection in a slice often adds five to eight milliseconds. */
const sliceMs = 5

/** A pause that is due after each 5 ms of work. The clock is read at every 16th call, so calls have to be frequent. */
export function createPause(): Pause {
  let until = performance.now() + sliceMs
  let calls = 0
  async function rest(): Promise<void> {
    await setImmediate()
    until = performance.now() + sliceMs
  }

  return function pause() {
    return (++calls & 15) !== 0 || performance.now() < until ? undefined : rest()
  }
}
