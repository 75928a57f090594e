import { expect, onTestFinished, test, vi } from 'vitest'
import { Query } from '../../../src/match/paths/query.js'

const queryOf = (target: string): Query =>
  new Query({ target, other: undefined, semicolon: 'known' })

test('reads a query in one pass for all names', () => {
  const pass = vi.spyOn(URLSearchParams.prototype, Symbol.iterator)
  const search = vi.spyOn(URLSearchParams.prototype, 'getAll')
  onTestFinished(() => void vi.restoreAllMocks())
  const names = Array.from({ length: 100 }, (_, i) => `n${i}`)
  const query = queryOf(`/?${names.join('=1&')}=1`)
  expect(names.map((name) => query.valuesOf(name))).toEqual(names.map(() => ['1']))
  expect([pass.mock.calls.length, search.mock.calls.length]).toEqual([1, 0])
})

test.each([
  ['q=1', 'q', ['1']],
  ['q[]=1', 'q', ['', '1']],
  ['q[a][b]=1', 'q', ['', '1']],
  ['[q]=1', 'q', ['', '1']],
  ['[q][a]=1', 'q', ['', '1']],
  ['[[q]=1', 'q', []],
  ['q]=1', 'q', []],
  ['qq[]=1&[qq]=2&q', 'q', []],
  ['a[b]=1', 'a[b]', ['1']],
  ['a[b][]=1&[a[b]]=2', 'a[b]', ['', '1', '2']],
  ['=1&[=2', 'q', []],
])('in %j, the parameter %s has the values %j', (query, name, values) => {
  expect(queryOf(`/?${query}`).valuesOf(name)).toEqual(values)
})
