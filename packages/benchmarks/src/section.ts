/** One part of the benchmarks: a file in `sections/`, and a row of the list in `bench.ts`. */
export interface Section {
  /** By this it is asked for, its file in `results/` is called, and its table in the README is marked. */
  readonly name: string
  /** `say` shows how far it is. */
  run(say: (progress: string) => void): Promise<Findings>
}

export interface Findings {
  /** Every figure, and the settings it was measured with, as they go to the `results` folder. */
  readonly results: object
  /** The same for a reader, in Markdown. */
  readonly table: string
}
