const simulate = 'packages/cli/src/simulate'

export const area = 'simulate-tally'

export const tests = [
  'packages/cli/test/simulate/tally packages/cli/test/simulate/worst packages/cli/test/simulate/report',
  'packages/cli/test/simulate/golden',
]

export const mutants = [
  {
    file: `${simulate}/tally/key-table.ts`,
    name: 'half of a fingerprint is compared',
    find: 'this.#highs[found] === high && this.#lows[found] === low',
    replace: 'this.#lows[found] === low || this.#highs[found] === high',
  },
  {
    file: `${simulate}/tally/timeline.ts`,
    name: 'intervals are merged at odd times',
    find: 'start === this.#start ? 0 : 1',
    replace: '0',
  },
  {
    file: `${simulate}/tally/timeline.ts`,
    name: 'only the first series is merged',
    find: 'for (const counts of this.#series) merge(counts, shift)',
    replace: 'merge(this.#series[0], shift)',
  },
  {
    file: `${simulate}/tally/timeline.ts`,
    name: 'an interval has its end',
    find: 'time >= this.#end',
    replace: 'time > this.#end',
  },
  {
    file: `${simulate}/tally/timeline.ts`,
    name: 'a series has one interval more',
    find: 'this.#indexOf(time) >= this.#intervals',
    replace: 'this.#indexOf(time) > this.#intervals',
  },
  {
    file: `${simulate}/tally/tally.ts`,
    name: 'the keys with the fewest denials are first',
    find: 'b.denied - a.denied',
    replace: 'a.denied - b.denied',
  },
  {
    file: `${simulate}/tally/tally.ts`,
    name: 'denied keys are not counted',
    find: '    this.#keysDenied.add(number)\n',
    replace: '',
  },
  {
    file: `${simulate}/tally/tally.ts`,
    name: 'the last streak is the longest',
    find: 'longestRun > this.streak.length',
    replace: 'longestRun > 0',
  },
  {
    file: `${simulate}/tally/tally.ts`,
    name: 'keys that the table has no room for are one',
    find: 'number !== -1 && this',
    replace: 'this',
  },
  {
    file: `${simulate}/tally/denied-key.ts`,
    name: 'an allowed request does not end a streak',
    find: 'ordinal === this.#lastOrdinal + 1',
    replace: 'ordinal > this.#lastOrdinal',
  },
  {
    file: `${simulate}/tally/denied-key.ts`,
    name: 'the first denial is the last',
    find: '    this.last = record.at\n',
    replace: '    this.last = this.first\n',
  },
  {
    file: `${simulate}/tally/denied-key.ts`,
    name: 'the error of a path is part of its count',
    find: 'count: count - error',
    replace: 'count',
  },
  {
    file: `${simulate}/tally/denied-key.ts`,
    name: 'paths have their query',
    find: 'end === -1 ? url : url.slice(0, end)',
    replace: 'url',
  },
  {
    file: `${simulate}/tally/tally.ts`,
    name: 'five minutes include their end',
    find: 'at >= this.#start + stretchMs',
    replace: 'at > this.#start + stretchMs',
  },
  {
    file: `${simulate}/tally/tally.ts`,
    name: 'five minutes begin with a request',
    find: 'this.#start = Math.floor(at / stretchMs) * stretchMs',
    replace: 'this.#start = at',
  },
  {
    file: `${simulate}/tally/tally.ts`,
    name: 'denials of all five minutes are added',
    find: '      this.#denied = 0\n',
    replace: '',
  },
  {
    file: `${simulate}/tally/tally.ts`,
    name: 'the last of equal shares is named',
    find: 'share <= this.share',
    replace: 'share < this.share || share === 0',
  },
  {
    file: `${simulate}/tally/key-set.ts`,
    name: 'two keys share a bit',
    find: 'number & 7)',
    replace: 'number & 3)',
  },
  {
    file: `${simulate}/tally/key-set.ts`,
    name: 'the set grows too late',
    find: 'at >= this.#bits.length',
    replace: 'at > this.#bits.length',
  },
  {
    file: `${simulate}/tally/key-table.ts`,
    name: 'a full table is not reported',
    find: '      this.isFull = true\n',
    replace: '',
  },
  {
    file: `${simulate}/tally/key-table.ts`,
    name: 'the number of a request is that of the last key',
    find: '    this.ordinal = 1\n',
    replace: '',
  },
  {
    file: `${simulate}/tally/key-table.ts`,
    name: 'the beginning of a long key is the key',
    find: 'digestOf(key) : key',
    replace: 'key.slice(0, longestHashed) : key',
  },
  {
    file: `${simulate}/tally/key-table.ts`,
    name: 'a larger table is searched like the old one',
    find: '    this.#mask = mask\n',
    replace: '',
  },
]
