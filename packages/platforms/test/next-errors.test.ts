import { forbidden, notFound, permanentRedirect, redirect } from 'next/navigation.js'
import { expect, test } from 'vitest'
import { fixedWindow, rateLimit } from '../../fetch/src/next.js'

test.each<[string, () => never, number]>([
  ['redirect', () => redirect('/a;b;c'), 307],
  ['permanentRedirect', () => permanentRedirect('/login'), 308],
  ['notFound', () => notFound(), 404],
])('%s() of Next.js counts by the status of its response', async (_, call, status) => {
  const seen: number[] = []
  const limit = rateLimit({
    policies: fixedWindow({ limit: 3, window: '1m' }),
    key: 'all',
    count: (outcome) => seen.push(outcome.status) > 0,
  })
  await expect(limit(async () => call())(new Request('http://host/'))).rejects.toHaveProperty(
    'digest',
  )
  expect(seen).toEqual([status])
})

test('forbidden() without its setting is an error of the application', async () => {
  const limit = rateLimit({ limit: 3, window: '1m', key: 'all' })
  await expect(limit(async () => forbidden())(new Request('http://host/'))).rejects.toThrow()
})
