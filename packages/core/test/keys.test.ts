import fc from 'fast-check'
import { expect, test } from 'vitest'
import { joinKey, redisKey } from '../src/keys.js'

// Parts made of what separates, escapes and tags, and of what has no UTF-8 form.
const awkward = fc.constantFrom(
  '|',
  '%',
  '{',
  '}',
  ':',
  '7',
  'C',
  'B',
  '25',
  'a',
  '\ud800',
  '\udc00',
  '😀',
)
const part = fc.oneof(
  fc.array(awkward, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 6 }),
)
const parts = fc.array(part, { minLength: 1, maxLength: 4 })
const several = fc.array(part, { minLength: 2, maxLength: 4 })
const key = parts.map((list) => joinKey(list) ?? '')

test.each([
  ['a plain string', '10.0.0.1', '10.0.0.1'],
  ['a plain string with a separator', 'a|b', 'a|b'],
  ['a plain string that begins like a list', '|user|42', '%|user|42'],
  ['a plain string that begins like an escape', '%41', '%%41'],
  ['parts', ['user', '42'], '|user|42'],
  ['a separator inside a part', ['a|b', 'c'], '|a%7Cb|c'],
  ['an escape inside a part', ['a%7Cb', 'c'], '|a%257Cb|c'],
  ['a list of one part', ['a|b'], 'a|b'],
])('joins %s', (_, given, joined) => {
  expect(joinKey(given)).toBe(joined)
})

test.each([
  ['an empty string', ''],
  ['an empty list', []],
  ['an empty part', ['user', '']],
  ['a part that is no string', ['user', 42]],
  ['undefined', undefined],
  ['null', null],
  ['a number', 42],
  ['an object', {}],
])('refuses %s', (_, given) => {
  expect(joinKey(given)).toBe(undefined)
})

test('two lists of parts give the same string only if they are the same list', () => {
  fc.assert(
    fc.property(parts, parts, (one, other) => {
      expect(joinKey(one) === joinKey(other)).toBe(JSON.stringify(one) === JSON.stringify(other))
    }),
    {
      numRuns: 2000,
      examples: [
        [['a', 'b'], ['a|b']],
        [['a|b'], ['a%7Cb']],
        [['%7C'], ['|']],
        [
          ['a', 'b|c'],
          ['a|b', 'c'],
        ],
      ],
    },
  )
})

test('a list of several can be split again into the parts that it was made of', () => {
  fc.assert(
    fc.property(several, (list) => {
      const [before, ...split] = joinKey(list)?.split('|') ?? []
      const pieces = split.map((piece) =>
        piece.replaceAll('%7C', '|').replaceAll('%2C', ',').replaceAll('%25', '%'),
      )
      expect([before, ...pieces]).toEqual(['', ...list])
    }),
    { numRuns: 2000 },
  )
})

test('a key in Redis has one opening and one closing brace, whatever is put in', () => {
  fc.assert(
    fc.property(part, part, key, (prefix, name, key) => {
      const [before, tag, after, ...more] = redisKey(prefix, name, key).split(/[{}]/)
      expect([before.endsWith(':'), tag.length > 0, after, more]).toEqual([true, true, '', []])
    }),
    { numRuns: 2000 },
  )
})

test('a key in Redis survives the way through UTF-8', () => {
  fc.assert(
    fc.property(part, part, key, (prefix, name, key) => {
      const text = redisKey(prefix, name, key)
      expect(Buffer.from(text, 'utf8').toString('utf8')).toBe(text)
    }),
    { numRuns: 2000 },
  )
})

test('another prefix, another name or another key is another key in Redis', () => {
  const triple = fc.tuple(part, part, key)
  fc.assert(
    fc.property(triple, triple, (one, other) => {
      expect(redisKey(...one) === redisKey(...other)).toBe(
        JSON.stringify(one) === JSON.stringify(other),
      )
    }),
    {
      numRuns: 2000,
      examples: [
        [
          ['a', 'b:c', 'k'],
          ['a:b', 'c', 'k'],
        ],
        [
          ['a', 'b', '{'],
          ['a', 'b', '}'],
        ],
        [
          ['a', 'b', '\ud800'],
          ['a', 'b', '\ud801'],
        ],
        [
          ['a', '%7B', 'k'],
          ['a', '{', 'k'],
        ],
      ],
    },
  )
})

test('reads as prefix:name:{key}', () => {
  expect(redisKey('sluice', 'api', 'user|42')).toBe('sluice:api:{user|42}')
})
