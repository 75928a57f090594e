// Checked by the compiler alone: npm run check:platforms.
import { createContext, type MiddlewareFunction, type RouterContextProvider } from 'react-router'
import { expectTypeOf } from 'vitest'
import {
  rateLimit,
  rateLimitContext,
  type RequestDecision,
} from '../../../fetch/src/react-router.js'

const minute = { limit: 100, window: '1m' } as const
const addressContext = createContext<string>()
const middleware: MiddlewareFunction<Response>[] = [
  rateLimit({ ...minute, address: { proxies: 1 } }),
  rateLimit({ ...minute, address: ({ context }) => context.get(addressContext) }),
]
declare const context: Readonly<RouterContextProvider>
expectTypeOf(context.get(rateLimitContext)).toEqualTypeOf<RequestDecision | null>()
export { middleware }
