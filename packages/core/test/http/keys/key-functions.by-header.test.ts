import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { byHeader } from '../../../src/http/index.js'
import { errorOf } from '../../error-of.js'
import { viewOf } from '../visit.js'

type Headers = Record<string, string | string[] | undefined>

const keyOf = (name: string, headers: Headers) => byHeader(name)({}, viewOf({}, { headers }))

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

test('finds a header in any case, and hashes its value', () => {
  expect(keyOf('X-API-Key', { 'x-api-key': 'secret' })).toEqual([
    'header',
    'x-api-key',
    digest('secret'),
  ])
})

test('the same value in different headers has different keys', () => {
  const headers = { a: 'secret', b: 'secret' }
  expect(keyOf('a', headers)).not.toEqual(keyOf('b', headers))
})

test('joins a repeated header as Node does', () => {
  expect(keyOf('a', { a: ['x', 'y'] })).toEqual(['header', 'a', digest('x, y')])
})

test.each<[string, Headers]>([
  ['absent', {}],
  ['undefined', { 'x-api-key': undefined }],
  ['empty', { 'x-api-key': '' }],
  ['an empty list', { 'x-api-key': [] }],
])('refuses a request whose header is %s', (_, headers) => {
  const { code, message } = errorOf(() => keyOf('X-API-Key', headers))
  expect(code).toBe('SLUICE_HEADER_MISSING')
  expect(message.startsWith('byHeader: the request has no header "X-API-Key". ')).toBe(true)
})

test.each(['', undefined, null, 5, ['a']])('refuses the name %j', (name) => {
  expect(errorOf(() => byHeader(name as string)).code).toBe('SLUICE_OPTION_INVALID')
})
