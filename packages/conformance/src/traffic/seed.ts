/** The seed of random traffic: the same in every run, unless SLUICE_SEED is set. The long run looks for new failures. */
export const seed: number = Number(process.env['SLUICE_SEED'] ?? 1)
