import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addPiece, piecesOf } from '../../../src/loading/reading/pieces.js'

/** Splits a value, sends the pieces as a thread would, and joins them. */
function sent(value: unknown): unknown {
  const root = {}
  for (const piece of piecesOf({ value })) addPiece(root, structuredClone(piece))
  return Reflect.get(root, 'value')
}

function countOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, member) => sum + countOf(member), 1)
}

test('a value is the same after it was sent in pieces', () => {
  const many = fc.array(fc.jsonValue({ depthSize: 'small' }), { minLength: 200, maxLength: 400 })
  const property = fc.property(many, (value) => {
    expect(sent(value)).toEqual(value)
  })
  fc.assert(property)
})

test('a member called __proto__ stays a member', () => {
  const value: unknown = JSON.parse('{ "__proto__": { "limit": 1 }, "a": [] }')
  expect(JSON.stringify(sent(value))).toBe('{"__proto__":{"limit":1},"a":[]}')
})

test('dates and absent values are unchanged', () => {
  const value = { at: new Date(0), absent: undefined }
  expect(sent(value)).toStrictEqual(value)
})

test.each([
  ['many rules', Array.from({ length: 10_000 }, (_, i) => ({ id: `r${i}`, when: { ip: ['a'] } }))],
  ['one long list', { lists: { words: Array.from({ length: 50_000 }, String) } }],
  ['a rule of many overrides', [{ entries: Object.fromEntries(Array(9000).entries()) }]],
])('no piece of %s has more than 1,000 values', (_what, value) => {
  const sizes = [...piecesOf({ value })].map(({ members }) =>
    members.reduce((sum, [, member]) => sum + countOf(member), 0),
  )
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1000)
  expect(sent(value)).toEqual(value)
})
