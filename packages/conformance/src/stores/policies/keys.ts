import { fixedWindow, notLimited, type Key } from '@sluice/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { OpenSetup } from '../setup.js'

const once = fixedWindow({ limit: 1, window: '1h' })

/** No two of these are the same key. */
const distinct: readonly Key[] = [
  'a',
  'A',
  'a ',
  'a\0',
  'b',
  'a|b',
  ['a', 'b'],
  ['a', 'b|c'],
  ['a|b', 'c'],
  ['a', 'b', 'c'],
  ['a', 1],
  ['a', -1],
  ['a', 2 ** 53 - 1],
  ['a', 2 ** 53 - 2],
  'ab',
  'a%7Cb',
  'a%7cb',
  'a%257Cb',
  '%',
  '%25',
  '{a}',
  '{a',
  'a}',
  '%7Ba%7D',
  '}{',
  '{}',
  ':',
  '*',
  'a\nb',
  'a\r\nb',
  '\uD800',
  '\uD801',
  '\uDC00',
  '\uFFFD',
  '%D800',
  '\u{1F600}',
  '\u00E9',
  'e\u0301',
  '__proto__',
  'constructor',
  'x'.repeat(10_000),
  'x'.repeat(10_001),
]

const alike = ['default', 'a', 'A', 'a|b', '{a}', '\u00E9', 'e\u0301', '1', 'x'.repeat(64)]

export function describeKeys(open: OpenSetup): void {
  describe('keys', () => {
    test('have separate counts, even if they look alike', async () => {
      const limiter = (await open()).limiter(once)
      const first: boolean[] = []
      const second: boolean[] = []
      for (const key of distinct) first.push((await limiter.consume(key)).allowed)
      for (const key of distinct) second.push((await limiter.consume(key)).allowed)
      expect(first).toEqual(distinct.map(() => true))
      expect(second).toEqual(distinct.map(() => false))
    })

    test('of any characters have separate counts, and the same count each time', async () => {
      const { limiter } = await open()
      const part = fc.string({ unit: 'binary', minLength: 1, maxLength: 4 })
      const awkward = fc.stringMatching(/^[a|%{}:7C\uD800]{1,4}$/)
      const parts = fc.array(fc.oneof(part, awkward), { minLength: 1, maxLength: 3 })
      await fc.assert(
        fc.asyncProperty(parts, parts, async (one, other) => {
          const own = limiter(once)
          expect((await own.consume(one)).allowed).toBe(true)
          const same = JSON.stringify(one) === JSON.stringify(other)
          expect((await own.consume(other)).allowed).toBe(!same)
        }),
        { numRuns: open.runs(100) },
      )
    })

    test('a string is a list of one part', async () => {
      const limiter = (await open()).limiter(once)
      await limiter.consume('a|b')
      expect((await limiter.consume(['a|b'])).allowed).toBe(false)
    })

    test('a number is its decimal text', async () => {
      const limiter = (await open()).limiter(once)
      const answers: boolean[] = []
      for (const key of [['a', 42], ['a', '42'], [42], '42', ['a', 0], ['a', -0]]) {
        answers.push((await limiter.consume(key)).allowed)
      }
      expect(answers).toEqual([true, false, true, false, true, false])
    })

    test('"notLimited" excludes policies: nothing is counted, and nothing is denied', async () => {
      const limiter = (await open()).limiter({ one: once, two: once })
      const first = await limiter.consume({ one: 'a', two: notLimited })
      const names = Object.keys(first.policies)
      for (let i = 0; i < 3; i++) {
        expect((await limiter.consume(notLimited)).allowed).toBe(true)
        expect((await limiter.consume({ one: notLimited, two: notLimited })).allowed).toBe(true)
      }
      const second = await limiter.consume('a')
      expect([first.allowed, names, second.deniedBy]).toEqual([true, ['one'], ['one']])
    })

    test('that are empty or missing, or whose parts are lists or objects, are refused', async () => {
      const limiter = (await open()).limiter({ one: once, two: once })
      const records = ['{"one":null,"two":"a"}', '{"one":"a","two":{}}']
      const refused = [
        '',
        [],
        [''],
        ['a', ''],
        ['a', ['b', 'c']],
        [['a', 'b']],
        ['a', null],
        ['a', {}],
        ['a', 1.5],
        ['a', 2 ** 53],
        ['a', NaN],
        null,
        undefined,
        42,
        true,
        Symbol('a'),
        ...records.map((text): unknown => JSON.parse(text)),
      ] as Key[]
      for (const key of refused) {
        await expect(ask(() => limiter.consume(key))).rejects.toMatchObject({
          code: 'SLUICE_KEY_INVALID',
          status: 400,
        })
      }
      await expect(ask(() => limiter.consume({ one: 'a' }))).rejects.toMatchObject({
        code: 'SLUICE_KEY_MISSING',
      })
      const stray = { one: 'a', two: 'a', three: 'a' }
      await expect(ask(() => limiter.consume(stray))).rejects.toMatchObject({
        code: 'SLUICE_POLICY_NAME_UNKNOWN',
      })
    })
  })

  describe('several limiters on one store', () => {
    test('have separate counts by their names, even if names and keys look alike together', async () => {
      const { limiter } = await open()
      const names = ['a', 'a:b', 'a:{b}', 'a%3Ab', 'b', 'default', '{a}', 'a|b', '\uD800', '\uD801']
      const keys = ['a', 'b', 'b:c', '{b}', '{b}:{b}', 'a:b']
      const answers: boolean[] = []
      for (const name of names) {
        for (const key of keys) answers.push((await limiter(once, name).consume(key)).allowed)
      }
      for (const name of names) for (const key of keys) await limiter(once, name).reset(key)
      expect(answers).toEqual(names.flatMap(() => keys.map(() => true)))
    })

    test('share their counts if they share a name', async () => {
      const { limiter } = await open()
      const one = limiter(once)
      await one.consume('key')
      expect((await limiter(once, one.name).consume('key')).allowed).toBe(false)
    })
  })

  describe('policy names', () => {
    test.each([
      { which: 'however alike they look', names: alike },
      { which: 'that have no UTF-8 form', names: ['\uD800', '\uD801', '\uFFFD'] },
      { which: 'that objects have names for', names: ['constructor', 'toString', '__proto__'] },
    ])('separate the counts of one key: names $which', async ({ names }) => {
      const limiter = (await open()).limiter(Object.fromEntries(names.map((name) => [name, once])))
      for (const name of names) {
        const keys = names.map((other) => [other, other === name ? 'key' : notLimited])
        const { allowed, policies } = await limiter.consume(Object.fromEntries(keys))
        expect([name, allowed, Object.keys(policies)]).toEqual([name, true, [name]])
      }
      expect([...(await limiter.consume('key')).deniedBy].sort()).toEqual([...names].sort())
    })
  })
}

/** Makes a call whose error a memory store throws, and other stores reject with. */
async function ask<T>(call: () => T | Promise<T>): Promise<T> {
  return call()
}
