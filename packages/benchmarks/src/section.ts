import type { Comparison } from './ratios.js'

/** One part of the benchmarks: a file in `sections/`, and a row of the list in `bench.ts`. */
export interface Section {
  /** By this it is asked for, its file in `results/` is called, and its table is marked. */
  readonly name: string
  /** The Markdown page that its tables stand in. */
  readonly page: 'README.md' | 'growth.md'
  /** `say` shows how far it is. A quick run is for trying: its figures are not for comparing. */
  run(say: (progress: string) => void, quick: boolean): Promise<Findings>
}

export interface Findings {
  /** Every figure, and the settings it was measured with, as they go to the `results` folder. */
  readonly results: object
  /** The same for a reader, in Markdown. */
  readonly table: string
  /** Ours and the best peer's, for the README of the whole. */
  readonly ratios?: readonly Comparison[]
  /** Pictures for the same page, SVG by their names. */
  readonly pictures?: Readonly<Record<string, string>>
}
