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
} from '../../src/index.js'

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
const all = () => ({ key: 'all' })
const byFirst = limited(limiter, (id: string) => ({ key: ['user', id] }))

// An asynchronous function keeps its type.

expectTypeOf(byFirst(sendMail)).toEqualTypeOf<typeof sendMail>()
expectTypeOf(limited(limiter, all)(pick)).toEqualTypeOf<typeof pick>()
expectTypeOf(byFirst(visit)).toEqualTypeOf<typeof visit>()
expectTypeOf(limited(onRedis, all)(sendMail)).toEqualTypeOf<typeof sendMail>()

// Any other function becomes one that returns a promise.

expectTypeOf(byFirst(parse)).toEqualTypeOf<(text: string) => Promise<Report>>()
expectTypeOf(limited(limiter, all)(query)).toEqualTypeOf<() => Promise<Report>>()

// The limited function has to be called with the arguments that describe its calls: with no fewer, and of no other type.

// @ts-expect-error: this function is called without arguments, and then there is no key
byFirst(() => 1)
// @ts-expect-error: this function is called with numbers
byFirst((id: number) => id)
// @ts-expect-error: a string or a number is not always a string
byFirst((id: string | number) => id)
// @ts-expect-error: the argument may be left out, and then there is no key
byFirst((id?: string) => id)
limited(limiter, (kind: string) => ({ key: kind }))(find)
limited(limiter, (kind: string, id: unknown) => ({ key: [kind, typeof id] }))(find)
// @ts-expect-error: calls have no third argument
limited(limiter, (kind: string, id: number, tenant: string) => ({ key: tenant }))(find)
limited(limiter, (...ids: string[]) => ({ key: ids }))(async (...ids: string[]) => ids)
// @ts-expect-error: the second argument is a number
limited(limiter, (...ids: string[]) => ({ key: ids }))(find)

// @ts-expect-error: a class is not a function
byFirst(Date)
// @ts-expect-error: an object is not a function
byFirst({ id: 'ada' })

// One function describes all that a call consumes.

const byAll = limited(
  limiter,
  async (id: string, size: number, plan: 'free' | 'pro', signal?: AbortSignal) => ({
    key: ['user', id],
    cost: size,
    policies: plan === 'pro' ? fixedWindow({ limit: 50, window: '1m' }) : policies,
    signal,
  }),
  { wait: { max: '5s' } },
)
const upload = async (id: string, size: number, plan: 'free' | 'pro') => `${id}${size}${plan}`
expectTypeOf(byAll(upload)).toEqualTypeOf<typeof upload>()
// @ts-expect-error: no such plan
byAll(async (id: string, size: number, plan: 'free' | 'gold') => `${id}${size}${plan}`)
// @ts-expect-error: a signal would be a number
byAll(async (id: string, size: number, plan: 'free', last: number) => `${id}${size}${plan}${last}`)

// "onDenied" takes its types from the function before it, and as many arguments as it needs.

limited(limiter, (id: string, size: number) => ({ key: id, cost: size }), {
  onDenied: (decision, id, size) => {
    expectTypeOf(decision).toEqualTypeOf<Decision>()
    expectTypeOf(id).toEqualTypeOf<string>()
    expectTypeOf(size).toEqualTypeOf<number>()
  },
})
limited(limiter, (id: string, size: number) => ({ key: id, cost: size }), {
  onDenied: (decision: Decision, id: string) => `${id} ${decision.limit}`,
})
limited(limiter, (id: string) => ({ key: id }), {
  // @ts-expect-error: the first argument is a string
  onDenied: (_decision: Decision, id: number) => id,
})
limited(limiter, (id: string) => ({ key: id }), {
  // @ts-expect-error: calls have no second argument
  onDenied: (_decision: Decision, _id: string, size: number) => size,
})

// "onDenied" returns a type that the function returns.

const orNone = limited(limiter, (id: string) => ({ key: id }), {
  onDenied: async (decision, id) => ({ title: `${id} ${decision.retryAfterMs}` }),
})
expectTypeOf(orNone(visit)).toEqualTypeOf<typeof visit>()
expectTypeOf(orNone(parse)).toEqualTypeOf<(text: string) => Promise<Report>>()
// @ts-expect-error: this function returns numbers
orNone(sendMail)
const orThrow = limited(limiter, all, {
  onDenied: (decision) => {
    throw new DeniedError('api', decision)
  },
})
expectTypeOf(orThrow(sendMail)).toEqualTypeOf<typeof sendMail>()

// As a decorator of the standard: the function sees the arguments of the method and its class.

class Reports {
  readonly tenant: string = 'acme'

  @byFirst
  async read(id: string, page = 1): Promise<Report> {
    return { title: `${id}${page}` }
  }

  @limited(
    limiter,
    function (this: Reports, id: string, pages: number) {
      return { key: { default: [this.tenant, id] }, cost: pages }
    },
    {
      onDenied(_decision, id) {
        expectTypeOf(this).toEqualTypeOf<Reports>()
        return { title: id }
      },
    },
  )
  async create(id: string, pages: number): Promise<Report> {
    return { title: `${id}${pages}` }
  }

  @limited(limiter, all)
  static async all(): Promise<readonly Report[]> {
    return []
  }

  // @ts-expect-error: the method takes a number
  @byFirst
  async count(id: number): Promise<number> {
    return id
  }

  // @ts-expect-error: the class declares a value, and the method would return a promise
  @byFirst
  title(id: string): string {
    return id
  }

  // @ts-expect-error: the function belongs to another class
  @limited(limiter, function (this: Date) {
    return { key: this.toISOString() }
  })
  async today(): Promise<void> {}

  // @ts-expect-error: "onDenied" belongs to another class
  @limited(limiter, all, {
    onDenied(this: Date) {
      return this.getTime()
    },
  })
  async now(): Promise<number> {
    return 0
  }

  // @ts-expect-error: an accessor is not a method
  @limited(limiter, all)
  get size(): Promise<number> {
    return Promise.resolve(1)
  }
}
expectTypeOf<Reports['read']>().toEqualTypeOf<(id: string, page?: number) => Promise<Report>>()

// Invalid calls do not compile.

// @ts-expect-error: the function is missing
limited(limiter)
// @ts-expect-error: an object instead of the function
limited(limiter, { key: 'all' })
// @ts-expect-error: a key alone
limited(limiter, (id: string) => id)
// @ts-expect-error: a key is missing
limited(limiter, () => ({ cost: 1 }))
// @ts-expect-error: a number is not a key
limited(limiter, (id: number) => ({ key: id }))
// @ts-expect-error: a record of numbers is not a key
limited(limiter, (id: number) => ({ key: { default: id } }))
// @ts-expect-error: undefined is not a key
limited(limiter, (ids: Map<string, string>) => ({ key: ids.get('id') }))
// @ts-expect-error: the cost is a number
limited(limiter, () => ({ key: 'all', cost: '1' }))
// @ts-expect-error: the value is not a policy
limited(limiter, () => ({ key: 'all', policies: { limit: 5, window: '1m' } }))
// @ts-expect-error: the value is not a signal
limited(limiter, () => ({ key: 'all', signal: new AbortController() }))
// @ts-expect-error: no such option
limited(limiter, all, { windowMs: 1000 })
// @ts-expect-error: the duration has to be in an object
limited(limiter, all, { wait: '5s' })
// @ts-expect-error: no such option of waiting
limited(limiter, all, { wait: { maxWait: '5s' } })
// @ts-expect-error: the value is not a limiter
limited(policies, all)

expectTypeOf<DeniedError['decision']>().toEqualTypeOf<Decision>()
expectTypeOf<DeniedError['code']>().toEqualTypeOf<ErrorCode>()
