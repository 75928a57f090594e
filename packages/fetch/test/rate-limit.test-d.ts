// Checked by the compiler alone: npm run check:types.
import { expectTypeOf } from 'vitest'
import {
  byIp,
  byUser,
  decisionOf,
  rateLimit,
  slidingWindow,
  type Checked,
  type Keys,
  type Limiter,
  type RateLimit,
  type RequestDecision,
} from '../src/index.js'
import { fetchAdapter, type FetchLimit } from '../src/adapter.js'

const policy = slidingWindow({ limit: 5, window: '1m' })
const limit = rateLimit({ policies: policy })
expectTypeOf(limit).toEqualTypeOf<RateLimit>()
expectTypeOf(limit.limiter).toEqualTypeOf<Limiter>()

// A handler keeps its type, whatever its further arguments are.

interface Env {
  readonly TOKEN: string
}
interface Context {
  waitUntil(work: Promise<unknown>): void
}
const worker = {
  fetch: limit(async (request: Request, env: Env, context: Context) => {
    context.waitUntil(Promise.resolve(env))
    return new Response(request.url)
  }),
}
expectTypeOf(worker.fetch).toEqualTypeOf<
  (request: Request, env: Env, context: Context) => Promise<Response>
>()
expectTypeOf(limit(() => new Response('hello'))).toEqualTypeOf<(request: Request) => Response>()
limit((request, ...rest) => {
  expectTypeOf(request).toEqualTypeOf<Request>()
  return new Response(`${request.url} ${rest.length}`)
})
interface OwnRequest extends Request {
  readonly cookies: Readonly<Record<string, string>>
}
const own = limit(async (request: OwnRequest) => Response.json(request.cookies))
expectTypeOf(own).toEqualTypeOf<(request: OwnRequest) => Promise<Response>>()
expectTypeOf(limit((_request: Request) => undefined)).toEqualTypeOf<
  (request: Request) => undefined
>()
// @ts-expect-error: a handler returns a Response
limit(() => 'hello')

const request = new Request('http://localhost/')
expectTypeOf(limit.run(request, () => new Response('x'))).toEqualTypeOf<Promise<Response>>()
expectTypeOf(limit.check(request)).toEqualTypeOf<Promise<Checked>>()
expectTypeOf(limit.keyOf(request)).toEqualTypeOf<Promise<Keys>>()
expectTypeOf(decisionOf(request)).toEqualTypeOf<RequestDecision | undefined>()

// Every function receives the Request.

rateLimit({
  policies: { user: policy, address: policy },
  key: {
    user: byUser((asked: Request) => asked.headers.get('x-user')),
    address: byIp(),
  },
  address: (asked, platform) => {
    expectTypeOf(asked).toEqualTypeOf<Request>()
    return platform?.address
  },
  onDenied: (asked, next, decision) => {
    expectTypeOf(decision).toEqualTypeOf<RequestDecision>()
    return asked.method === 'GET' ? next() : new Response('denied')
  },
})
rateLimit({ limit: 5, window: '1m', address: { proxies: 1 } })
rateLimit({ limit: 5, window: '1m', address: { header: 'CF-Connecting-IP' } })
// @ts-expect-error: either a number of proxies, or a header
rateLimit({ limit: 5, window: '1m', address: { proxies: 1, header: 'CF-Connecting-IP' } })
// @ts-expect-error: `limit` and `policies` exclude each other
rateLimit({ limit: 5, window: '1m', policies: policy })
// @ts-expect-error: a record of keys must have the names of the policies
rateLimit({ policies: { user: policy, address: policy }, key: { user: 'ada' } })
// @ts-expect-error: not a duration
rateLimit({ limit: 5, window: '1 fortnight' })

// Another framework.

interface Call {
  readonly request: Request
  readonly user: string
}
const ofCalls = fetchAdapter<Call>({ request: (call) => call.request })
const ofCall = ofCalls({
  limit: 5,
  window: '1m',
  key: (call) => {
    expectTypeOf(call).toEqualTypeOf<Call>()
    return call.user
  },
})
expectTypeOf(ofCall).toEqualTypeOf<FetchLimit<Call>>()
