/** Mulberry32: the same numbers from 0 to 1 for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The seed of random traffic: the same in every run, unless SLUICE_SEED is set. The long run looks for new failures. */
export const seed: number = Number(process.env['SLUICE_SEED'] ?? 1)

/** The share of its runs that each property has: a tenth, or as `SLUICE_RUNS` says. */
const share = Number(process.env['SLUICE_RUNS'] ?? 0.1)

/** The time limit of a property. */
export const patienceMs: number = 30_000 * Math.max(1, share)

/** How often a property is tried in this run, of `all` times with `SLUICE_RUNS=1`. Also for the length of other random traffic. */
export function runs(all: number): number {
  return Math.ceil(all * share)
}
