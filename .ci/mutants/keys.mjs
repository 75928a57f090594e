const core = 'packages/core/src'

export const area = 'keys'

export const tests = [
  'packages/core/test/hot-keys packages/core/test/keys.test packages/core/test/counted-key',
]

export const mutants = [
  {
    file: `${core}/hot-keys/hot-keys.ts`,
    name: 'a new key takes over no error',
    find: 'key: own, count, error: count }',
    replace: 'key: own, count, error: 0 }',
  },
  {
    file: `${core}/hot-keys/hot-keys.ts`,
    name: 'the greatest key is replaced',
    find: 'heap[child].hot.count >= count',
    replace: 'heap[child].hot.count <= count',
  },
  {
    file: `${core}/hot-keys/hot-keys.ts`,
    name: 'the greater child rises',
    find: 'heap[child + 1].hot.count < heap[child].hot.count',
    replace: 'heap[child + 1].hot.count > heap[child].hot.count',
  },
  {
    file: `${core}/hot-keys/hot-keys.ts`,
    name: 'the least frequent is first',
    find: 'b.count - a.count',
    replace: 'a.count - b.count',
  },
  {
    file: `${core}/hot-keys/hot-keys.ts`,
    name: 'a sketch with free places has missed keys',
    find: 'this.#heap.length < this.#places ? 0 :',
    replace: 'this.#heap.length === 0 ? 0 :',
  },
  {
    file: `${core}/hot-keys/hot-keys.ts`,
    name: 'a key that one stream does not list did not occur there',
    find: 'const others = unlisted - counts.unlisted',
    replace: 'const others = 0',
  },
  {
    file: `${core}/hot-keys/hot-keys.ts`,
    name: 'the merged errors are those of one stream',
    find: 'known.error += error - counts.unlisted',
    replace: 'known.error += 0',
  },
  {
    file: `${core}/hot-keys/hot-keys.ts`,
    name: 'several occurrences count as one',
    find: 'hot.count += times',
    replace: 'hot.count += 1',
  },
  {
    file: `${core}/hot-keys/hot-keys.ts`,
    name: 'the most frequent keys are dropped',
    find: 'if (last !== undefined && last !== least) this.#sink(last, 0)',
    replace: '',
  },
  {
    file: `${core}/keys.ts`,
    name: 'the escapes of a name in Redis are a part of the key',
    find: 'unescapeTag(tag)\n',
    replace: 'tag\n',
  },
  {
    file: `${core}/hot-keys/hot-keys.ts`,
    name: 'a key that the result leaves out did not occur',
    find: 'keys[places]?.count ?? unlisted',
    replace: 'unlisted',
  },
  {
    file: `${core}/keys.ts`,
    name: 'a counted key has any length',
    find: 'text.length <= longestKey && countedForm',
    replace: 'countedForm',
  },
  {
    file: `${core}/keys.ts`,
    name: 'a counted list may have one part',
    find: '){2,}|%#',
    replace: ')+|%#',
  },
  {
    file: `${core}/keys.ts`,
    name: 'a counted string may begin with any escape',
    find: '|%[%|][^]*|',
    replace: '|%[^]*|',
  },
  {
    file: `${core}/keys.ts`,
    name: 'a separator within a part is not escaped',
    find: 'part.replace(/[%|]/g, percent)',
    replace: 'part.replace(/%/g, percent)',
  },
  {
    file: `${core}/limiter/arguments.ts`,
    name: 'a counted key is a record of keys',
    find: '!isRecord(key) || isCountedKey(key)',
    replace: '!isRecord(key)',
  },
  {
    file: `${core}/first-in-order.ts`,
    name: 'of the first items of an order, equal ones change places',
    find: 'while (at > 0 && compare(item, first[at - 1]) < 0) at--',
    replace: 'while (at > 0 && compare(item, first[at - 1]) <= 0) at--',
  },
  {
    file: `${core}/first-in-order.ts`,
    name: 'of the first items of an order, there is one too many',
    find: 'if (first.length >= most) {',
    replace: 'if (first.length > most) {',
  },
]
