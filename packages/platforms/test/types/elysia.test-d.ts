// Checked by the compiler alone: npm run check:platforms.
import { Elysia } from 'elysia'
import { expectTypeOf } from 'vitest'
import { byUser, rateLimit, type Limiter } from '../../../fetch/src/elysia.js'

const limit = rateLimit({
  limit: 100,
  window: '1m',
  key: byUser((request) => {
    expectTypeOf(request).toEqualTypeOf<Request>()
    return request.headers.get('x-user')
  }),
})
const app = new Elysia()
  .decorate('version', 1)
  .use(limit)
  .get('/:id', ({ params, version }) => {
    expectTypeOf(params).toEqualTypeOf<{ id: string }>()
    return `${params.id} ${version}`
  })
expectTypeOf(limit.limiter).toEqualTypeOf<Limiter>()
export { app }
