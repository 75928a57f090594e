// Checked by the compiler alone: npm run check:platforms.
import type { Handle, RequestEvent } from '@sveltejs/kit'
import { expectTypeOf } from 'vitest'
import {
  byRoute,
  byUser,
  rateLimit,
  type RequestDecision,
  type SvelteKitEvent,
} from '../../../fetch/src/sveltekit.js'

declare global {
  namespace App {
    interface Locals {
      user?: { readonly id: string }
    }
  }
}

const minute = { limit: 100, window: '1m' } as const
const plain: Handle = rateLimit(minute)
const byUsers: Handle = rateLimit({
  ...minute,
  key: byUser((event) => event.locals.user?.id),
  onDenied(event, next) {
    expectTypeOf(event).toEqualTypeOf<RequestEvent>()
    return event.isSubRequest ? next() : undefined
  },
})
const byRoutes: Handle = rateLimit({
  ...minute,
  key: [byUser((event: RequestEvent) => event.locals.user?.id), byRoute()],
})
const inferred = rateLimit({
  ...minute,
  key: byUser((event: SvelteKitEvent) => event.locals.user?.id),
})
declare const event: RequestEvent
expectTypeOf(event.locals.rateLimit).toEqualTypeOf<RequestDecision | undefined>()
expectTypeOf(inferred.limiter.name).toEqualTypeOf<string>()
export { byRoutes, byUsers, plain }
