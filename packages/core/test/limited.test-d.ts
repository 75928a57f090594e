// Checked by the compiler alone: npm run check:types.
import { expectTypeOf } from 'vitest'
import {
  createLimiter,
  DeniedError,
  fixedWindow,
  limited,
  redisStore,
  slidingWindow,
  type Decision,
  type ErrorCode,
  type IoredisClient,
} from '../src/index.js'

interface Report {
  readonly title: string
}

declare const redis: IoredisClient
declare function sendMail(to: string, body?: string): Promise<number>
declare function parse(text: string): Report
declare function query(): PromiseLike<Report>
declare function pick<V>(list: readonly V[]): Promise<V>
declare function visit(this: Reports, id: string): Promise<Report>
declare function find(kind: 'user' | 'team', id: number): Promise<Report>

const policies = slidingWindow({ limit: 5, window: '1m' })
const limiter = createLimiter({ name: 'api', policies })
const onRedis = createLimiter({ name: 'api', policies, store: redisStore(redis) })
const byFirst = limited(limiter, { key: (id: string) => ['user', id] })

// A function that promises its value keeps its type, whatever that is.

expectTypeOf(byFirst(sendMail)).toEqualTypeOf<typeof sendMail>()
expectTypeOf(limited(limiter, { key: 'all' })(pick)).toEqualTypeOf<typeof pick>()
expectTypeOf(byFirst(visit)).toEqualTypeOf<typeof visit>()
expectTypeOf(limited(onRedis, { key: 'all' })(sendMail)).toEqualTypeOf<typeof sendMail>()

// Of any other one, a promise is made.

expectTypeOf(byFirst(parse)).toEqualTypeOf<(text: string) => Promise<Report>>()
expectTypeOf(limited(limiter, { key: 'all' })(query)).toEqualTypeOf<() => Promise<Report>>()

// What the options' functions take has to be what the function is called with: at least as many arguments, none of another type.

// @ts-expect-error: this one is called with nothing, and then there is no key
byFirst(() => 1)
// @ts-expect-error: this one is called with numbers
byFirst((id: number) => id)
// @ts-expect-error: nor is every string or number a string
byFirst((id: string | number) => id)
// @ts-expect-error: it may be left out, and then there is no key
byFirst((id?: string) => id)
limited(limiter, { key: (kind: string) => kind })(find)
limited(limiter, { key: (kind: string, id: unknown) => [kind, typeof id] })(find)
// @ts-expect-error: a third argument that nobody passes
limited(limiter, { key: (kind: string, id: number, tenant: string) => tenant })(find)
limited(limiter, { key: (...ids: string[]) => ids })(async (...ids: string[]) => ids)
// @ts-expect-error: the second one is a number
limited(limiter, { key: (...ids: string[]) => ids })(find)

// @ts-expect-error: a class is no function
byFirst(Date)
// @ts-expect-error: nor is this
byFirst({ id: 'ada' })

// Each of them may take as many arguments as it needs.

const byAll = limited(limiter, {
  key: (id: string) => ['user', id],
  cost: (_id: string, size: number) => size,
  policies: async (_id: string, _size: number, plan: 'free' | 'pro') =>
    plan === 'pro' ? fixedWindow({ limit: 50, window: '1m' }) : policies,
  signal: (_id: string, _size: number, _plan: string, signal?: AbortSignal) => signal,
  wait: { max: '5s' },
})
const upload = async (id: string, size: number, plan: 'free' | 'pro') => `${id}${size}${plan}`
expectTypeOf(byAll(upload)).toEqualTypeOf<typeof upload>()
// @ts-expect-error: no such plan
byAll(async (id: string, size: number, plan: 'free' | 'gold') => `${id}${size}${plan}`)
// @ts-expect-error: a signal would be a number
byAll(async (id: string, size: number, plan: 'free', last: number) => `${id}${size}${plan}${last}`)

// What has no type takes it from "key".

limited(limiter, {
  key: (id: string, size: number) => [id, `${size}`],
  cost: (id, size) => {
    expectTypeOf(id).toEqualTypeOf<string>()
    expectTypeOf(size).toEqualTypeOf<number>()
    return size
  },
  onDenied: (decision, id) => {
    expectTypeOf(decision).toEqualTypeOf<Decision>()
    expectTypeOf(id).toEqualTypeOf<string>()
  },
})

// A denied call gives what the function could have given.

const orNone = limited(limiter, {
  key: 'all',
  onDenied: async (decision, id: string) => ({ title: `${id} ${decision.retryAfterMs}` }),
})
expectTypeOf(orNone(visit)).toEqualTypeOf<typeof visit>()
expectTypeOf(orNone(parse)).toEqualTypeOf<(text: string) => Promise<Report>>()
// @ts-expect-error: this function gives numbers
orNone(sendMail)
const orThrow = limited(limiter, {
  key: 'all',
  onDenied: (decision) => {
    throw new DeniedError('api', decision)
  },
})
expectTypeOf(orThrow(sendMail)).toEqualTypeOf<typeof sendMail>()

// As a decorator of the standard: the options see the method's arguments and its class.

class Reports {
  readonly tenant: string = 'acme'

  @byFirst
  async read(id: string, page = 1): Promise<Report> {
    return { title: `${id}${page}` }
  }

  @limited(limiter, {
    key: {
      default(this: Reports, id: string) {
        return [this.tenant, id]
      },
    },
    cost: (_id, pages: number) => pages,
  })
  async create(id: string, pages: number): Promise<Report> {
    return { title: `${id}${pages}` }
  }

  @limited(limiter, { key: 'all' })
  static async all(): Promise<readonly Report[]> {
    return []
  }

  // @ts-expect-error: the method takes a number
  @byFirst
  async count(id: number): Promise<number> {
    return id
  }

  // @ts-expect-error: it would promise a value of which the class says that it is there
  @byFirst
  title(id: string): string {
    return id
  }

  // @ts-expect-error: the key needs another class
  @limited(limiter, {
    key: function (this: Date) {
      return this.toISOString()
    },
  })
  async today(): Promise<void> {}

  // @ts-expect-error: an accessor is no method
  @limited(limiter, { key: 'all' })
  get size(): Promise<number> {
    return Promise.resolve(1)
  }
}
expectTypeOf<Reports['read']>().toEqualTypeOf<(id: string, page?: number) => Promise<Report>>()

// What is wrong does not compile.

// @ts-expect-error: a key is missing
limited(limiter, {})
// @ts-expect-error: no such option
limited(limiter, { key: 'all', windowMs: 1000 })
// @ts-expect-error: a number is no key
limited(limiter, { key: (id: number) => id })
// @ts-expect-error: a key that is missing is never a free pass
limited(limiter, { key: (ids: Map<string, string>) => ids.get('id') })
// @ts-expect-error: a string where a number belongs
limited(limiter, { key: 'all', cost: '1' })
// @ts-expect-error: no policy
limited(limiter, { key: 'all', policies: () => ({ limit: 5, window: '1m' }) })
// @ts-expect-error: how long is in an object
limited(limiter, { key: 'all', wait: '5s' })
// @ts-expect-error: no such option of waiting
limited(limiter, { key: 'all', wait: { maxWait: '5s' } })
// @ts-expect-error: this is no limiter
limited(policies, { key: 'all' })

expectTypeOf<DeniedError['decision']>().toEqualTypeOf<Decision>()
expectTypeOf<DeniedError['code']>().toEqualTypeOf<ErrorCode>()
