import { expect, onTestFinished, test, vi } from 'vitest'
import { fixedWindow, rateLimit } from '../src/index.js'

const minute = { limit: 5, window: '1m' } as const

test('the query is read in one pass, for all limits and policies of a request', async () => {
  const search = vi.spyOn(URLSearchParams.prototype, 'getAll')
  const pass = vi.spyOn(URLSearchParams.prototype, Symbol.iterator)
  onTestFinished(() => void vi.restoreAllMocks())
  const outer = rateLimit({ ...minute, name: 'outer', key: () => ['own', 1] })
  const inner = rateLimit({
    name: 'inner',
    policies: { a: fixedWindow(minute), b: fixedWindow(minute) },
    key: { a: () => ['own', 2], b: () => ['own', 3] },
  })
  const names = Array.from({ length: 1000 }, (_, i) => `n${i}`)
  const handle = outer(inner(() => new Response('hello')))
  const response = await handle(new Request(`http://host/?${names.join('&')}`))
  expect([response.status, search.mock.calls.length, pass.mock.calls.length]).toEqual([200, 0, 1])
})

test('a list that the client sent in the query is not a key, and others are', async () => {
  const limit = rateLimit({
    ...minute,
    key: ({ url }) => {
      const { searchParams } = new URL(url)
      return searchParams.has('own') ? ['own', 1] : searchParams.getAll('name')
    },
  })
  const handle = limit(() => new Response('hello'))
  const statusOf = async (query: string): Promise<number> =>
    (await handle(new Request(`http://host/?${query}`))).status
  expect([await statusOf('name=ann&x&name=1'), await statusOf('own&name=ann')]).toEqual([400, 200])
})
