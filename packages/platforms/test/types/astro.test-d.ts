// Checked by the compiler alone: npm run check:platforms.
import type { APIContext, MiddlewareHandler } from 'astro'
import { expectTypeOf } from 'vitest'
import { byUser, rateLimit, type RequestDecision } from '../../../fetch/src/astro.js'

const minute = { limit: 100, window: '1m' } as const
const plain: MiddlewareHandler = rateLimit(minute)
const byUsers: MiddlewareHandler = rateLimit({
  ...minute,
  key: byUser((context) => context.cookies.get('user')?.value),
  onDenied(context, next) {
    expectTypeOf(context).toEqualTypeOf<APIContext>()
    return context.preferredLocale === 'en' ? next() : undefined
  },
})
const inferred = rateLimit({ ...minute, key: ({ request }) => request.headers.get('x-id') ?? '' })
const assigned: MiddlewareHandler = inferred
declare const context: APIContext
expectTypeOf(context.locals.rateLimit).toEqualTypeOf<RequestDecision | undefined>()
export { assigned, byUsers, plain }
