// Options that the rateLimit of Express and that of Koa both refuse. Checked by the compiler alone: npm run check:types.
import {
  byIp,
  byRoute,
  byUser,
  firstOf,
  fixedWindow,
  gcra,
  notLimited,
  slidingWindow,
  unlimited,
  type Policy,
  type rateLimit as forExpress,
} from '@sluice/express'
import type { rateLimit as forKoa } from '@sluice/koa'
import type { Rules } from '@sluice/core/http'

/** A call with errors for this type has errors for each of the two. */
declare const rateLimit: typeof forExpress & typeof forKoa

declare const rules: Rules<unknown>

declare const express: typeof forExpress

declare const koa: typeof forKoa

declare function planOf(ip: string | undefined): Record<'a' | 'b', Policy>

const policy = slidingWindow({ limit: 5, window: '1m' })

// Valid calls compile, so the errors below are those of the options.

rateLimit({ limit: 5, window: '1m' })
rateLimit({ policies: { user: policy }, key: { user: 'ada' } })
rateLimit({ rules })
rateLimit({ rules, dryRun: true, headers: 'legacy', body: 'later' })

// `byUser` knows the request in a list, and in a record for policies that a function returns.

express({ limit: 5, window: '1m', key: [byUser((req) => req.ip), byRoute()] })
koa({ limit: 5, window: '1m', key: ['user', byUser((ctx) => ctx.ip), byRoute()] })
express({
  policies: policy,
  key: [
    firstOf(
      byUser((req) => req.ip),
      byIp(),
    ),
    byRoute(),
  ],
})
express({ policies: (req) => planOf(req.ip), key: { a: byIp(), b: byUser((req) => req.ip) } })
koa({ policies: (ctx) => planOf(ctx.ip), key: { a: notLimited, b: byUser((ctx) => ctx.ip) } })
express({
  policies: { a: policy, b: policy },
  key: { a: [byUser((req) => req.ip), byRoute()], b: byIp() },
})

// `limit` with `window`, and `policies` exclude each other.

// @ts-expect-error: two of them
rateLimit({ limit: 5, window: '1m', policies: policy })
// @ts-expect-error: two of them
rateLimit({ limit: 5, window: '1m', policies: { minute: policy } })
// @ts-expect-error: a builder requires `limit` and `window`
rateLimit({ policies: policy, algorithm: gcra })
// @ts-expect-error: none of them
rateLimit({})
// @ts-expect-error: `window` is missing
rateLimit({ limit: 5 })
// @ts-expect-error: `limit` is missing
rateLimit({ window: '1m' })

// A record of keys must have the names of the policies.

// @ts-expect-error: a key is missing
rateLimit({ policies: { user: policy, address: policy }, key: { user: 'ada' } })
// @ts-expect-error: no such policy
rateLimit({ policies: { user: policy }, key: { usr: 'ada' } })
// @ts-expect-error: one too many
rateLimit({ policies: { user: policy }, key: { user: 'ada', address: byIp() } })

// A record of costs, and the names in `resetOn`, have names of the policies.

const two = { user: policy, address: policy }
rateLimit({ policies: two, cost: { user: 2 }, resetOn: { success: ['user'] } })
rateLimit({ policies: policy, cost: { default: 2 }, resetOn: { success: ['default'] } })
express({ policies: two, cost: (req) => ({ user: req.url.length }) })
express({ policies: () => two, cost: { any: 2 }, resetOn: { success: ['any'] } })
// @ts-expect-error: no such policy
rateLimit({ policies: two, cost: { user: 1, adress: 2 } })
// @ts-expect-error: no such policy
rateLimit({ policies: two, cost: () => ({ adress: 2 }) })
// @ts-expect-error: a single policy has the name "default"
rateLimit({ policies: policy, cost: { user: 2 } })
// @ts-expect-error: no such policy
rateLimit({ policies: two, resetOn: { success: ['user', 'adress'] } })

// Wrong options do not compile.

unlimited({})
// @ts-expect-error: it takes no options
unlimited({ block: { for: '1m' } })
// @ts-expect-error: not even those of another policy
unlimited({ limit: 5 })
// @ts-expect-error: a request has no such property
express({ limit: 5, window: '1m', key: [byUser((req) => req.userId), byRoute()] })

// @ts-expect-error: a string instead of a number
rateLimit({ limit: '5', window: '1m' })
// @ts-expect-error: a duration without a unit
rateLimit({ limit: 5, window: '60' })
// @ts-expect-error: a request has no such property
rateLimit({ policies: policy, key: (request) => request.userId })
// @ts-expect-error: a number is not a key
rateLimit({ policies: policy, key: () => 42 })
// @ts-expect-error: null is not a key
rateLimit({ policies: policy, key: () => null })
// @ts-expect-error: not for one policy either
rateLimit({ policies: policy, key: { default: null } })
// @ts-expect-error: a function returns one key, not a record
rateLimit({ policies: policy, key: () => ({ default: 'a' }) })
// @ts-expect-error: a list is not a part of a key
rateLimit({ policies: policy, key: () => ['a', ['b']] })
// @ts-expect-error: a limit is not a policy
rateLimit({ policies: () => ({ limit: 5 }) })
// @ts-expect-error: an unknown value of `count`
rateLimit({ policies: policy, count: 'errors' })
// @ts-expect-error: an unknown value of `resetOn`
rateLimit({ policies: policy, resetOn: 'failure' })
// @ts-expect-error: an unknown header style
rateLimit({ policies: policy, headers: 'standard' })
// @ts-expect-error: a builder with other options
rateLimit({ limit: 5, window: '1m', algorithm: fixedWindow({ limit: 5, window: '1m' }) })

// Rules exclude what they decide for each request.

// @ts-expect-error: a limit
rateLimit({ rules, limit: 5, window: '1m' })
// @ts-expect-error: a policy
rateLimit({ rules, policies: policy })
// @ts-expect-error: policies
rateLimit({ rules, policies: { user: policy } })
// @ts-expect-error: a name
rateLimit({ rules, name: 'api' })
// @ts-expect-error: a key
rateLimit({ rules, key: 'all' })
// @ts-expect-error: a cost
rateLimit({ rules, cost: 2 })
// @ts-expect-error: which responses count
rateLimit({ rules, count: 'failures' })
// @ts-expect-error: a list
rateLimit({ rules, allow: ['10.0.0.1'] })
// @ts-expect-error: a status
rateLimit({ rules, statusCode: 503 })
// @ts-expect-error: no judgement
rateLimit({ rules: { name: 'api', judge: () => 'allow' } })
