/** Keys as a server gets them: each time a string that nobody has seen before, though it may say the same. */
export interface FreshKeys {
  /** So many, by their numbers. */
  of(numbers: Iterable<number>): string[]
}

const width = 12

/** Names `user:0000000` and so on. */
export function freshKeys(count: number): FreshKeys {
  // Cut out of bytes: a string that was looked up once has its hash with it, and the next look-up would be cheaper than any in a server.
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
 * Numbers below `count` by Zipf's law: the first comes twice as often as the second, three times as often as the third. The same for everybody
 * who asks for the same.
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

/** How many entries of a rising list are not above a value. */
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

/** Numbers from 0 up to 1, always the same ones (an LCG modulo 2^32). */
export function createRandom(): () => number {
  let state = 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
