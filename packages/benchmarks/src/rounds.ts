/** The values of all rounds. Other programs on the machine mostly disturb the extremes. */
export interface Spread {
  readonly median: number
  readonly lowest: number
  readonly highest: number
}

/**
 * Measures the contenders in turns, round after round, so that a change of the machine's speed affects all of them. Each round starts with
 * another contender.
 */
export async function inRounds<C, F>(
  contenders: readonly C[],
  rounds: number,
  measure: (contender: C, round: number) => Promise<F>,
): Promise<ReadonlyMap<C, readonly F[]>> {
  const found = new Map(contenders.map((contender): [C, F[]] => [contender, []]))
  for (let round = 0; round < rounds; round++) {
    const first = round % contenders.length
    for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)]) {
      found.get(contender)?.push(await measure(contender, round))
    }
  }
  return found
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  const half = sorted.length >> 1
  const isOdd = sorted.length % 2 === 1
  const median = isOdd ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
  return { median, lowest: sorted[0], highest: sorted[sorted.length - 1] }
}
