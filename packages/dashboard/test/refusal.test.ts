import { expect, test } from 'vitest'
import { quoted, refusal } from '../src/refusal.js'

test('a text of the client is shown on one line, and only its first 80 characters', () => {
  expect(quoted('a\n"b"')).toBe('"a\\n\\"b\\""')
  expect(quoted('x'.repeat(80))).toBe(`"${'x'.repeat(80)}"`)
  expect(quoted(`${'x'.repeat(80)}y`)).toBe(`"${'x'.repeat(80)}"`)
})

test('a failure has the status and the text of its code, with the detail as it is', () => {
  const { code, status, message, headers } = refusal('SLUICE_VIEW_LIMITER_UNKNOWN', '"$&"')
  expect({ code, status, message, headers }).toEqual({
    code: 'SLUICE_VIEW_LIMITER_UNKNOWN',
    status: 404,
    message: 'The limiter "$&" was not passed to this dashboard.',
    headers: {},
  })
  expect(refusal('SLUICE_VIEW_METHOD_WRONG', 'GET', { allow: 'GET' })).toMatchObject({
    message: 'This path takes the methods GET.',
    headers: { allow: 'GET' },
  })
})
