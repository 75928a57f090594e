import type { Reading } from './reading.js'

/**
 * Makes this process measure the work of each message and answer with the figures. An error ends the process, which rejects the measurement in
 * the parent process. The process also ends with its parent.
 */
export function serve(measure: (work: string) => Reading | Promise<Reading>): void {
  process.on('message', (work) => {
    void answer(String(work))
  })

  process.on('disconnect', () => process.exit())

  async function answer(work: string): Promise<void> {
    process.send?.(await measure(work))
  }
}
