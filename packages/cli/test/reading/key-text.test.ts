import fc from 'fast-check'
import { joinKey } from '@sluice/core/internal'
import { expect, test } from 'vitest'
import { runs } from '@sluice/test-kit/random'
import { readKey, shownKey } from '../../src/reading/key-text.js'
import { visible } from '../../src/text/visible.js'

test.each([
  ['ip:203.0.113.9', 'ip:203.0.113.9', ['ip:203.0.113.9']],
  ['["user",42]', '|user|42', ['user', '42']],
  [' ["user", "42"]', '|user|42', ['user', '42']],
  ['["user"]', 'user', ['user']],
  ['|user|42', '|user|42', ['user', '42']],
  ['|a%7Cb|%25', '|a%7Cb|%25', ['a|b', '%']],
  ['["a|b","%"]', '|a%7Cb|%25', ['a|b', '%']],
  ['["a","%7C"]', '|a|%257C', ['a', '%7C']],
  ['["|x"]', '%|x', ['|x']],
  ['%|x', '%|x', ['|x']],
  ['%x', '%%x', ['%x']],
  ['["[::1]"]', '[::1]', ['[::1]']],
  [`%#${'a1'.repeat(32)}`, `%#${'a1'.repeat(32)}`, undefined],
])('the argument %s is the key that is counted as %s', (text, counted, parts) => {
  const key = readKey(text, false)
  expect([key.text, key.parts, joinKey(key.key)]).toEqual([counted, parts, counted])
})

test('a long key is known by its hash only', () => {
  const { text, parts } = readKey('x'.repeat(300), false)
  expect([text, parts]).toEqual([joinKey('x'.repeat(300)), undefined])
})

const part = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }),
  fc.stringMatching(/^[%|[\]"{}:#a2570C]{1,6}$/),
)

test('each key that is shown can be passed back with --counted', () => {
  fc.assert(
    fc.property(fc.oneof(part, fc.array(part, { minLength: 1, maxLength: 4 })), (given) => {
      const shown = joinKey(given) ?? ''
      const { text, parts } = readKey(shown, true)
      expect(text).toBe(shown)
      const isShort = !shown.startsWith('%#')
      expect(parts).toEqual(isShort ? [given].flat() : undefined)
    }),
    { numRuns: runs(1000) },
  )
})

test('each key is shown in a form that is read as this key, without hidden characters', () => {
  fc.assert(
    fc.property(fc.oneof(part, fc.array(part, { minLength: 1, maxLength: 4 })), (given) => {
      const counted = joinKey(given) ?? ''
      const shown = shownKey(counted)
      expect(readKey(shown, false).text).toBe(counted)
      expect(visible(shown)).toBe(shown)
    }),
    { numRuns: runs(1000) },
  )
})

test.each([
  ['|user|42', '|user|42'],
  ['bob\u200b', '["bob\\u200b"]'],
  ['["acme","42"]', '["[\\"acme\\",\\"42\\"]"]'],
  ['|a\n|b', '["a\\n","b"]'],
  [' ann', '[" ann"]'],
  ['a\\u{200b}', 'a\\u{200b}'],
])('the counted key %j is shown as %s', (counted, shown) => {
  expect(shownKey(counted)).toBe(shown)
})

test('each key can be passed as a list, whatever it begins with', () => {
  fc.assert(
    fc.property(part, (given) => {
      expect(readKey(JSON.stringify([given]), false).text).toBe(joinKey(given))
    }),
    { numRuns: runs(1000) },
  )
})

test.each([
  [
    '[user,42]',
    /^the key \[user,42\] begins like a list and is not one\. .*: '\["\[user,42\]"\]'$/,
  ],
  ['["user",true]', /begins like a list/],
  ['[]', /^the key is not valid/],
  ['', /^the key is not valid/],
  ['["user",1.5]', /^the key is not valid/],
  ['|user', /^no key is counted as \|user\. If this is the key itself, .*: '\["\|user"\]'$/],
  ['%#12', /^no key is counted as %#12\. /],
])('the argument %s is refused', (text, said) => {
  expect(() => readKey(text, false)).toThrow(said)
})

test('with --counted, a text that no key is counted as is refused', () => {
  expect(() => readKey('%x', true)).toThrow(/^no key is counted as %x\. /)
})
