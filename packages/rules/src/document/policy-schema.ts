import type * as core from '@sluice/core'
import type { PolicyKind } from '@sluice/core/internal'
import { z } from 'zod'

const { exactOptional: maybe, strictObject, string, number, int, union } = z

/** A policy in a document that is read: the builder of its kind checks the rest. */
export const policy: z.ZodType<{ kind: string }> = policyWithAdvice('For a number, write limit: 5')

/** One of the policies that `by` chooses among. */
export const chosenPolicy: z.ZodType<{ kind: string }> = policyWithAdvice(
  'If only the number differs, write limit: { by: plan, free: 5, pro: 50 } and a window',
)

function policyWithAdvice(advice: string): z.ZodType<{ kind: string }> {
  const kind = string({ error: 'the name of a builder, such as fixedWindow' })
  const error = `a policy, such as { kind: fixedWindow, limit: 5, window: 1m }. ${advice}`
  return z.looseObject({ kind }, { error })
}

const quota = int().min(0)
const count = int().min(1)
const duration = union([string(), int().min(0)])
const block = maybe(
  strictObject({
    for: duration,
    on: maybe(z.enum(['reached', 'exceeded'])),
    escalate: maybe(number().min(1).max(1000)),
    max: maybe(duration),
  }),
)

/** The algorithms of the short form: those that take a limit and a window. */
export type ShortAlgorithm = {
  [K in PolicyKind]: ReturnType<(typeof core)[K]> extends { limit: number; window: number }
    ? K
    : never
}[PolicyKind]

const shortAlgorithms: { readonly [K in ShortAlgorithm]: K } = {
  slidingWindow: 'slidingWindow',
  fixedWindow: 'fixedWindow',
  slidingLog: 'slidingLog',
  gcra: 'gcra',
}

export const shortAlgorithm: z.ZodType<ShortAlgorithm> = z.enum(shortAlgorithms)

/** The options of a builder. */
type OptionsOf<K extends PolicyKind> = Parameters<(typeof core)[K]>[0]

/** The options of each kind, in the published schema. */
const options: {
  readonly [K in PolicyKind]: { readonly [O in keyof OptionsOf<K>]-?: z.ZodType }
} = {
  fixedWindow: {
    limit: quota,
    window: duration,
    align: maybe(z.enum(['first', 'clock'])),
    offset: maybe(duration),
    block,
  },
  calendarWindow: {
    limit: quota,
    period: z.enum(['hour', 'day', 'week', 'month']),
    timeZone: maybe(string()),
    weekStartsOn: maybe(
      z.enum(['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']),
    ),
    block,
  },
  slidingWindow: {
    limit: quota,
    window: duration,
    buckets: maybe(count),
    tail: maybe(z.enum(['spread', 'weighted', 'truncated'])),
    block,
  },
  slidingLog: { limit: quota, window: duration, block },
  gcra: { limit: quota, window: duration, burst: maybe(quota), block },
  tokenBucket: {
    capacity: quota,
    refill: count,
    every: duration,
    initial: maybe(quota),
    block,
  },
  leakyBucket: { capacity: quota, leak: count, every: duration, block },
  leakyQueue: { leak: count, every: duration, maxDelay: duration, block },
  concurrency: { limit: quota, lease: duration, block },
  unlimited: {},
  // oxlint-disable-next-line unicorn/no-thenable -- the option's name
  staged: { free: z.lazy(() => publishedPolicy), then: z.lazy(() => publishedPolicy), block },
}

const [first, ...further] = Object.entries(options).map(([kind, shape]) =>
  strictObject({ kind: z.literal(kind), ...shape }),
)

/** A policy in the published schema, with the options of each kind. */
export const publishedPolicy: z.ZodType<{ kind: string }> = z.discriminatedUnion('kind', [
  first,
  ...further,
])
