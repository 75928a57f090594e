import { setTimeout as delay } from 'node:timers/promises'

const patienceMs = 5000

/** Waits for an effect of other code, such as the work after a response. */
export async function until(
  what: string,
  happened: () => boolean | Promise<boolean>,
): Promise<void> {
  const end = performance.now() + patienceMs
  while (!(await happened())) {
    if (performance.now() > end) throw new Error(`${what}: not within ${patienceMs} ms`)
    await delay(1)
  }
}
