import Koa3, { type Context } from 'koa'
import Koa2 from 'koa2'
import request from 'supertest'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { rateLimit } from '../src/index.js'

const minute = { limit: 5, window: '1m' } as const

type KeyFunction = (context: Context) => string[]

/** The status of a request by a limit with this key. */
async function statusOf(Koa: typeof Koa3, key: KeyFunction, path: string): Promise<number> {
  const app = new Koa()
  app.silent = true
  app.use(rateLimit({ ...minute, key }))
  app.use((context: Context) => {
    context.body = 'hello'
  })
  return (await request(app.callback()).get(path)).status
}

describe.each([
  ['Koa 2', Koa2],
  ['Koa 3', Koa3],
])('%s', (_, Koa) => {
  test('the query is read in one pass, and not once for each parameter', async () => {
    const search = vi.spyOn(URLSearchParams.prototype, 'getAll')
    onTestFinished(() => void vi.restoreAllMocks())
    const names = Array.from({ length: 1000 }, (_name, i) => `n${i}`)
    expect(await statusOf(Koa, () => ['own', '1'], `/?${names.join('&')}`)).toBe(200)
    expect(search.mock.calls.length).toBe(0)
  })

  test.each<[string, KeyFunction]>([
    ['Koa has parsed', ({ query }) => query['name'] as string[]],
    [
      'the application has parsed',
      ({ querystring }) => new URLSearchParams(querystring).getAll('name'),
    ],
  ])('a list of the query that %s is not a key', async (_by, key) => {
    expect(await statusOf(Koa, key, '/?name=ann&x&name=1')).toBe(400)
    expect(await statusOf(Koa, key, '/?name=ann&name=%ff')).toBe(400)
  })
})
