import type { Reading } from './reading.js'

/**
 * What a contender's process does with its life: it measures the work that it is told of, and answers with what it found. An error ends the
 * process, and whoever asked is told. It never outlives who started it, however that ends.
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
