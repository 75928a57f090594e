// Checked by the compiler alone: npm run check:types.
import { fetch as undici, type Response as UndiciResponse } from 'undici'
import { expectTypeOf } from 'vitest'
import { createLimiter, limitedFetch } from '../src/index.js'

const limiter = createLimiter({ name: 'calls', limit: 1, window: '1m' })

expectTypeOf(limitedFetch(limiter)).toEqualTypeOf<typeof fetch>()
expectTypeOf(limitedFetch(limiter, { maxWait: '30s', retries: 2 })).toEqualTypeOf<typeof fetch>()
expectTypeOf(limitedFetch(limiter, { fetch: undici })('http://localhost')).toEqualTypeOf<
  Promise<UndiciResponse>
>()
limitedFetch(limiter, { key: (url) => url.pathname })
// Also under exactOptionalPropertyTypes, as here.
limitedFetch(limiter, {
  maxWait: undefined,
  retries: undefined,
  retryByIdempotencyKey: undefined,
  waitOf: undefined,
  key: undefined,
})
limitedFetch(limiter, { fetch: undefined })
limitedFetch(limiter, { waitOf: (response) => response.headers.get('X-Wait') ?? undefined })
limitedFetch(limiter, { waitOf: async (response) => Number(await response.clone().text()) })
limitedFetch(limiter, {
  fetch: undici,
  waitOf(response) {
    expectTypeOf(response).toEqualTypeOf<UndiciResponse>()
    return undefined
  },
})
// @ts-expect-error: not a duration
limitedFetch(limiter, { waitOf: () => true })
// @ts-expect-error: not a duration
limitedFetch(limiter, { maxWait: true })
// @ts-expect-error: not a response
limitedFetch(limiter, { fetch: async () => 'text' })
