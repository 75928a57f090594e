import type { Comparison } from './ratios.js'
import type { Results } from './results.js'

/** One part of the benchmarks: a file in `sections/`, and a row of the list in `sections.ts`. */
export interface Section {
  /** The argument of the command, the name of the file in `results/`, and the name of the marks around its part of the page. */
  readonly name: string
  /** The time that it takes on a quiet machine with two cores, about. */
  readonly minutes: number
  /** Measures its contenders in turns. `say` shows the progress. A quick run tests the section; its figures are not precise. */
  measure(say: (progress: string) => void, quick: boolean): Promise<Results>
  /** The sentences and the tables of the page. */
  page(results: Results): readonly string[]
  /** The figures of Sluice and of the best peers, for the READMEs. */
  ratios?(results: Results): readonly Comparison[]
}
