import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '@sluice/test-kit/random'
import { createLimiter } from '../src/index.js'
import { joinKey, keyOfRedisKey, redisKeys, wrongPart } from '../src/keys.js'
import { errorOf } from './error-of.js'

// Characters that separate, escape or tag, lone surrogates, which have no UTF-8 form, and U+0000, which PostgreSQL refuses.
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
  '0',
  '\0',
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

function redisKey(prefix: string, name: string, key: string): string {
  return redisKeys(prefix, name)(key)
}

/** Most array methods of JavaScript skip a hole. */
const withHole = ['user']
withHole[2] = '42'

test.each([
  ['a plain string', '10.0.0.1', '10.0.0.1'],
  ['a plain string with a separator', 'a|b', 'a|b'],
  ['a plain string that begins like a list', '|user|42', '%|user|42'],
  ['a plain string that begins like an escape', '%41', '%%41'],
  ['parts', ['user', '42'], '|user|42'],
  ['a separator inside a part', ['a|b', 'c'], '|a%7Cb|c'],
  ['an escape inside a part', ['a%7Cb', 'c'], '|a%257Cb|c'],
  ['a list of one part', ['a|b'], 'a|b'],
  ['a list of one number', [42], '42'],
  ['a number as its decimal text', ['user', 42], '|user|42'],
  ['zero', ['user', 0], '|user|0'],
  ['negative zero as zero', ['user', -0], '|user|0'],
  ['a negative number', ['user', -1], '|user|-1'],
  ['the largest number', ['user', 2 ** 53 - 1], '|user|9007199254740991'],
  ['the smallest number', ['user', 1 - 2 ** 53], '|user|-9007199254740991'],
])('joins %s', (_, given, joined) => {
  expect(joinKey(given)).toBe(joined)
})

test.each([
  ['an empty string', ''],
  ['an empty list', []],
  ['an empty part', ['user', '']],
  ['a list as a part', ['user', ['42']]],
  ['a list of a list', [['user', '42']]],
  ['an object as a part', ['user', { toString: () => '42' }]],
  ['null as a part', ['user', null]],
  ['undefined as a part', ['user', undefined]],
  ['true as a part', ['user', true]],
  ['a fraction as a part', ['user', 1.5]],
  ['NaN as a part', ['user', NaN]],
  ['Infinity as a part', ['user', Infinity]],
  ['a number that JavaScript rounds', ['user', 2 ** 53]],
  ['a hole in a list', withHole],
  ['undefined', undefined],
  ['null', null],
  ['a number', 42],
  ['an object', {}],
])('refuses %s', (_, given) => {
  expect(joinKey(given)).toBe(undefined)
})

test.each([
  [['user', ['42']], 2],
  [[{}, ['42']], 1],
  [['user', 42, ''], 3],
  [withHole, 2],
  [['user', 42], undefined],
  [[], undefined],
  ['user', undefined],
  [null, undefined],
])('the invalid part of %j is number %j', (key, part) => {
  expect(wrongPart(key)).toBe(part)
})

test('a number and its decimal text are the same part, and no two numbers are', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.maxSafeInteger(), (one, other) => {
      expect(joinKey(['user', one])).toBe(joinKey(['user', String(one)]))
      expect(joinKey(['user', one]) === joinKey(['user', other])).toBe(one === other)
    }),
    { numRuns: runs(1000), examples: [[0, 1]] },
  )
})

test('two lists of parts give the same string only if they are the same list', () => {
  fc.assert(
    fc.property(parts, parts, (one, other) => {
      expect(joinKey(one) === joinKey(other)).toBe(JSON.stringify(one) === JSON.stringify(other))
    }),
    {
      numRuns: runs(2000),
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

test('the string of several parts can be split into the same parts', () => {
  fc.assert(
    fc.property(several, (list) => {
      const [before, ...split] = joinKey(list)?.split('|') ?? []
      const pieces = split.map((piece) => piece.replaceAll('%7C', '|').replaceAll('%25', '%'))
      expect([before, ...pieces]).toEqual(['', ...list])
    }),
    { numRuns: runs(2000) },
  )
})

test('a key in Redis has exactly one opening and one closing brace', () => {
  fc.assert(
    fc.property(part, part, key, (prefix, name, key) => {
      const [before, tag, after, ...more] = redisKey(prefix, name, key).split(/[{}]/)
      expect([before.endsWith(':1'), tag.length > 0, after, more]).toEqual([true, true, '', []])
    }),
    { numRuns: runs(2000) },
  )
})

test('the name of a state contains no U+0000, and is the same after a conversion to UTF-8 and back', () => {
  fc.assert(
    fc.property(part, part, key, (prefix, name, key) => {
      const text = redisKey(prefix, name, key)
      expect(text.includes('\0')).toBe(false)
      expect(Buffer.from(text, 'utf8').toString('utf8')).toBe(text)
    }),
    { numRuns: runs(2000) },
  )
})

test('two keys in Redis are equal only if prefix, name and key are equal', () => {
  const triple = fc.tuple(part, part, key)
  fc.assert(
    fc.property(triple, triple, (one, other) => {
      expect(redisKey(...one) === redisKey(...other)).toBe(
        JSON.stringify(one) === JSON.stringify(other),
      )
    }),
    {
      numRuns: runs(2000),
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

test('a key in Redis has the form prefix:name:{key}', () => {
  expect(redisKey('sluice', 'api', 'user|42')).toBe('sluice:api:1{user|42}')
})

test('the key of a name in Redis is the one that the name was made of', () => {
  fc.assert(
    fc.property(fc.array(part, { minLength: 3, maxLength: 3 }), key, ([prefix, name], key) => {
      expect(keyOfRedisKey(prefix, name, redisKey(prefix, name, key))).toBe(key)
    }),
    { numRuns: runs(2000) },
  )
})

test.each([
  ['of another prefix', 'other:api:{user}'],
  ['of another limiter', 'sluice:ap:1{user}'],
  ['of a log', 'sluice:api:1{user}:default:2'],
  ['without a key', 'sluice:api:1{}'],
  ['with braces in the key', 'sluice:api:1{a}{b}'],
])('a name %s has no key', (_, name) => {
  expect(keyOfRedisKey('sluice', 'api', name)).toBe(undefined)
})

test('a bigint counts as its digits, also one that is greater than every safe number', () => {
  expect(joinKey(['user', 42n])).toBe(joinKey(['user', '42']))
  expect(joinKey([2n ** 64n])).toBe('18446744073709551616')
  expect(joinKey(['user', -(2n ** 2000n)])).toMatch(/^%#/)
})

class ObjectId {
  toString(): string {
    return '65f1'
  }
}

test.each<[string, unknown, string]>([
  ['a part', ['user', new ObjectId()], 'part 2 of the key'],
  ['the whole key', new ObjectId(), 'the key'],
  ['the key of a policy', { default: new ObjectId() }, 'the key of the policy "default"'],
])('an id object as %s is an error of the application, which names its class', (_, key, place) => {
  const limiter = createLimiter({ name: 'api', limit: 1, window: '1m' })
  const { code, status, message } = errorOf(() => limiter.consume(key as string))
  expect([code, status, message]).toEqual([
    'SLUICE_KEY_OBJECT',
    undefined,
    `limiter "api": ${place} is an object of the class "ObjectId". Pass its text: String(id).`,
  ])
})

test('a promise of a key is an error that says to await it', () => {
  const limiter = createLimiter({ name: 'api', limit: 1, window: '1m' })
  const { code, message } = errorOf(() => limiter.consume(['user', Promise.resolve('a') as never]))
  expect(code).toBe('SLUICE_KEY_OBJECT')
  expect(message.endsWith('of the class "Promise". Await it.')).toBe(true)
})
