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

const kinds = [
  strictObject({
    kind: z.literal('fixedWindow'),
    limit: quota,
    window: duration,
    align: maybe(z.enum(['first', 'clock'])),
    offset: maybe(duration),
    block,
  }),
  strictObject({
    kind: z.literal('calendarWindow'),
    limit: quota,
    period: z.enum(['hour', 'day', 'week', 'month']),
    timeZone: maybe(string()),
    weekStartsOn: maybe(
      z.enum(['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']),
    ),
    block,
  }),
  strictObject({
    kind: z.literal('slidingWindow'),
    limit: quota,
    window: duration,
    buckets: maybe(count),
    tail: maybe(z.enum(['spread', 'weighted', 'truncated'])),
    block,
  }),
  strictObject({ kind: z.literal('slidingLog'), limit: quota, window: duration, block }),
  strictObject({
    kind: z.literal('gcra'),
    limit: quota,
    window: duration,
    burst: maybe(quota),
    block,
  }),
  strictObject({
    kind: z.literal('tokenBucket'),
    capacity: quota,
    refill: count,
    every: duration,
    initial: maybe(quota),
    block,
  }),
  strictObject({
    kind: z.literal('leakyBucket'),
    capacity: quota,
    leak: count,
    every: duration,
    block,
  }),
  strictObject({
    kind: z.literal('leakyQueue'),
    leak: count,
    every: duration,
    maxDelay: duration,
    block,
  }),
  strictObject({ kind: z.literal('concurrency'), limit: quota, lease: duration, block }),
  strictObject({ kind: z.literal('unlimited') }),
] as const

/** A policy in the published schema, with the options of each kind. */
export const publishedPolicy: z.ZodType<{ kind: string }> = z.discriminatedUnion('kind', [
  ...kinds,
  strictObject({
    kind: z.literal('staged'),
    get free() {
      return publishedPolicy
    },
    // oxlint-disable-next-line unicorn/no-thenable -- the option's name
    get then() {
      return publishedPolicy
    },
    block,
  }),
])
