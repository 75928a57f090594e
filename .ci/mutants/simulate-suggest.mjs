const simulate = 'packages/cli/src/simulate'

export const area = 'simulate-suggest'

export const tests = ['packages/cli/test/simulate/suggest']

export const mutants = [
  {
    file: `${simulate}/suggest/target.ts`,
    name: 'a share is always in percent',
    find: "(match[3] === '%' ? 100 : 1)",
    replace: '100',
  },
  {
    file: `${simulate}/suggest/target.ts`,
    name: 'a limit has to deny less than the target',
    find: 'effect.denied <= share * effect.asked',
    replace: 'effect.denied < share * effect.asked',
  },
  {
    file: `${simulate}/suggest/target.ts`,
    name: 'a share of the keys is one of the requests',
    find: 'effect.keysDenied <= share * effect.keys',
    replace: 'effect.denied <= share * effect.asked',
  },
  {
    file: `${simulate}/suggest/histogram.ts`,
    name: 'a window includes its end',
    find: '>= this.#starts[number] + this.#windowMs',
    replace: '> this.#starts[number] + this.#windowMs',
  },
  {
    file: `${simulate}/suggest/histogram.ts`,
    name: 'a key that reaches the limit is denied',
    find: 'this.#largest[number] > limit',
    replace: 'this.#largest[number] >= limit',
  },
  {
    file: `${simulate}/suggest/histogram.ts`,
    name: 'the last window is the largest',
    find: 'if (count > this.#largest[number]) this',
    replace: 'this',
  },
  {
    file: `${simulate}/suggest/histogram.ts`,
    name: 'open windows are not counted',
    find: 'for (let number = 0; number < this.#keys.size; number++) this.#close(number)',
    replace: '',
  },
  {
    file: `${simulate}/suggest/suggest.ts`,
    name: 'the lowest limit may be one more',
    find: 'while (sufficient - denying > 1)',
    replace: 'while (sufficient - denying > 2)',
  },
  {
    file: `${simulate}/suggest/suggest.ts`,
    name: 'a burst may be shorter than the log can answer',
    find: 'Math.max(0, smallest - 1)',
    replace: '0',
  },
  {
    file: `${simulate}/suggest/suggest.ts`,
    name: 'limits above the first pass are not tried',
    find: 'greatest *= greatestFactor',
    replace: 'greatest *= 1',
  },
  {
    file: `${simulate}/suggest/suggest.ts`,
    name: 'only the first window is tried',
    find: 'for (const windowMs of options.windows)',
    replace: 'for (const windowMs of options.windows.slice(0, 1))',
  },
  {
    file: `${simulate}/suggest/candidates.ts`,
    name: 'candidates have no clock',
    find: '      now = record.at\n',
    replace: '',
  },
  {
    file: `${simulate}/suggest/candidates.ts`,
    name: 'candidates see all keys',
    find: ' || !sample.has(text)',
    replace: '',
  },
  {
    file: `${simulate}/suggest/suggested.ts`,
    name: 'the key of a suggestion is not checked',
    find: "    checkFields(reader, detected, 'error')\n",
    replace: '',
  },
  {
    file: `${simulate}/suggest/suggested.ts`,
    name: 'a stream is read several times',
    find: '({ rereadable }) => !rereadable',
    replace: '({ rereadable, size }) => !rereadable && size !== undefined',
  },
]
