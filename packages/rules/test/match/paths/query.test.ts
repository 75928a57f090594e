import { expect, onTestFinished, test, vi } from 'vitest'
import { Several } from '../../../src/match/value.js'
import { Query } from '../../../src/match/paths/query.js'

const queryOf = (target: string): Query =>
  new Query({ target, other: undefined, semicolon: 'known' })

test('reads a query in one pass for all names', () => {
  const pass = vi.spyOn(URLSearchParams.prototype, Symbol.iterator)
  const search = vi.spyOn(URLSearchParams.prototype, 'getAll')
  onTestFinished(() => void vi.restoreAllMocks())
  const names = Array.from({ length: 100 }, (_, i) => `n${i}`)
  const query = queryOf(`/?${names.join('=1&')}=1`)
  expect(names.map((name) => query.get(name))).toEqual(names.map(() => '1'))
  expect([pass.mock.calls.length, search.mock.calls.length]).toEqual([1, 0])
})

test.each([
  ['q=1', 'q', '1'],
  ['q[]=1', 'q', ['', '1']],
  ['q[a][b]=1', 'q', ['', '1']],
  ['[q]=1', 'q', ['', '1']],
  ['[q][a]=1', 'q', ['', '1']],
  ['[[q]=1', 'q', undefined],
  ['q]=1', 'q', undefined],
  ['qq[]=1&[qq]=2&q', 'q', undefined],
  ['a[b]=1', 'a[b]', '1'],
  ['a[b][]=1&[a[b]]=2', 'a[b]', ['', '1', '2']],
  ['=1&[=2', 'q', undefined],
])('in %j, the parameter %s is %j', (query, name, expected) => {
  const value = typeof expected === 'object' ? new Several(expected) : expected
  expect(queryOf(`/?${query}`).get(name)).toEqual(value)
})
