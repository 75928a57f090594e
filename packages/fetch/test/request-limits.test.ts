import { fixedWindow } from '@sluice/core'
import { expect, test } from 'vitest'
import { rateLimit, type FetchLimit } from '../src/index.js'

const limitOf = (name: string): FetchLimit<Request> =>
  rateLimit({ name, policies: fixedWindow({ limit: 9, window: '1m' }), key: 'all' })

const request = (): Request => new Request('http://host/')

test('a Request that is used again has none of the limits of its earlier use', async () => {
  const [outer, inner] = [limitOf('outer'), limitOf('inner')]
  const used = request()
  await outer.run(used, async () => inner.run(used, () => new Response('hello')))
  // The application replaces the Request, so that both limits are joined in the response.
  const { headers } = await outer.run(used, async () =>
    inner.run(request(), () => new Response('hello')),
  )
  expect(headers.get('ratelimit')).toBe('"outer";r=7;t=60, "inner";r=7;t=60')
})

test('a Request that is used again begins after the requests of before, whose responses it may have', async () => {
  const [one, other] = [limitOf('one'), limitOf('other')]
  const used = request()
  await one.run(used, () => new Response('hello'))
  const kept = await other.run(request(), () => new Response('hello'))
  const { headers } = await one.run(used, () => kept)
  expect(headers.get('ratelimit')).toBe('"one";r=7;t=60')
})
