// Checked by the compiler alone: npm run check:platforms.
import { NextResponse, type NextProxy, type NextRequest } from 'next/server.js'
import { expectTypeOf } from 'vitest'
import { byUser, proxyLimit, rateLimit, type ProxyLimit } from '../../../fetch/src/next.js'

const minute = { limit: 100, window: '1m', address: { proxies: 1 } } as const
const limit = rateLimit(minute)

interface RouteContext {
  readonly params: Promise<{ readonly id: string }>
}
const GET = limit(async (request: NextRequest, { params }: RouteContext) =>
  Response.json({ ...(await params), name: request.cookies.get('name')?.value }),
)
expectTypeOf(GET).toEqualTypeOf<
  (request: NextRequest, context: RouteContext) => Promise<Response>
>()

const plain: NextProxy = proxyLimit(minute)
const typed: NextProxy = proxyLimit({
  ...minute,
  key: byUser((request) => request.cookies.get('user')?.value),
  next(request, event) {
    expectTypeOf(request).toEqualTypeOf<NextRequest>()
    event.waitUntil(Promise.resolve())
    return request.nextUrl.pathname === '/old' ? NextResponse.redirect('/new') : undefined
  },
})
expectTypeOf(proxyLimit(minute)).toEqualTypeOf<ProxyLimit<Request>>()
// @ts-expect-error: the proxy returns a response
proxyLimit({ ...minute, next: () => 'hello' })
export { plain, typed }
