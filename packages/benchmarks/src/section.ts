import type { Comparison } from './ratios.js'

/** One part of the benchmarks: a file in `sections/`, and a row of the list in `bench.ts`. */
export interface Section {
  /** The argument of the command, the name of the file in `results/`, and the name of the marks around the table. */
  readonly name: string
  /** The time that it takes on a quiet machine with two cores, about. */
  readonly minutes: number
  /** `say` shows the progress. A quick run tests the section; its figures are not precise. */
  run(say: (progress: string) => void, quick: boolean): Promise<Findings>
}

export interface Findings {
  /** All figures and their conditions, for the `results` folder. */
  readonly results: object
  /** The tables for the page, in Markdown. */
  readonly table: string
  /** The figures of Sluice and of the best peers, for the READMEs. */
  readonly ratios?: readonly Comparison[]
}
