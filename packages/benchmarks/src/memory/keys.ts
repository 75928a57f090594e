/** Keys as a server receives them: each time a new string, even if its value was seen before. */
export interface FreshKeys {
  /** The keys with these numbers. */
  of(numbers: Iterable<number>): string[]
}

const width = 12

/** Makes keys such as `user:0000000`. */
export function freshKeys(count: number): FreshKeys {
  // Decoded from bytes each time: a string that was looked up before has a cached hash, so its next look-up is cheaper than in a server.
  const bytes = Buffer.alloc(count * width, 'latin1')
  for (let i = 0; i < count; i++) {
    bytes.write(`user:${String(i).padStart(width - 5, '0')}`, i * width, 'latin1')
  }
  return {
    of: (numbers) =>
      Array.from(numbers, (i) => bytes.toString('latin1', i * width, (i + 1) * width)),
  }
}

/**
 * Numbers below `count` by Zipf's law: the first is drawn twice as often as the second and three times as often as the third. The same
 * arguments always return the same numbers.
 */
export function zipf(count: number, draws: number): Uint32Array {
  const upTo = new Float64Array(count)
  let sum = 0
  for (let i = 0; i < count; i++) {
    sum += 1 / (i + 1)
    upTo[i] = sum
  }
  const random = createRandom()
  return Uint32Array.from({ length: draws }, () => firstAbove(upTo, random() * sum))
}

/** The number of entries of a sorted list that are not greater than a value. */
function firstAbove(rising: Float64Array, value: number): number {
  let low = 0
  let high = rising.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (rising[middle] > value) high = middle
    else low = middle + 1
  }
  return low
}

/** Pseudo-random numbers from 0 up to 1, always the same sequence (an LCG modulo 2^32). */
export function createRandom(): () => number {
  let state = 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
