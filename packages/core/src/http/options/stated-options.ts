import type { Policies } from '../../limiter/bound-policies.js'
import type { Excluding, Requiring } from '../../options/forms.js'
import type { Duration, DurationLiteral } from '../../options/readers.js'
import type { Policy } from '../../policy.js'
import type { RateLimitOptions } from './options.js'

/**
 * Options with at most one of the three forms: `limit` and `window`, `policies`, or `rules`. For options that are merged over others, so
 * that all three may be absent. `W` is the type of `window`: a literal must be a duration. `P` is the type of `policies`: a record of keys must have
 * exactly the names of the policies.
 */
export type OneRule<R, H, W = Duration, P = unknown> = Stated<R, H, W, P> &
  (Short | Whole | ByRules)

/** Options with exactly one of the three forms. For options that are not merged over others. */
export type WholeRule<R, H, W = Duration, P = unknown> = Stated<R, H, W, P> &
  (
    | (Short & Requiring<'limit' | 'window'>)
    | (Whole & Requiring<'policies'>)
    | (ByRules & Requiring<'rules'>)
  )

/**
 * `rules` is first: the compiler looks at the absent properties of a call in their order, and drops the forms that require them until one is left. If
 * that were the form with rules, it would not know the parameters of a function `key`.
 */
type Stated<R, H, W, P> = { readonly [N in 'rules']?: unknown } & RateLimitOptions<
  R,
  H,
  PolicyName<NoInfer<P>>
> & { readonly [N in 'window']?: DurationLiteral<W> } & { readonly [N in 'policies']?: P }

type Short = Excluding<'rules' | 'policies'>
type Whole = Excluding<'rules' | ShortOption>
type ByRules = Excluding<DecidedByRules>

type ShortOption = 'limit' | 'window' | 'algorithm'

/** The options that state the policies of a limiter, and its name. */
export const policyOptions = ['limit', 'window', 'algorithm', 'policies', 'name'] as const

const requestOptions = [
  'key',
  'cost',
  'count',
  'resetOn',
  'allow',
  'deny',
  'wait',
  'statusCode',
] as const

type DecidedByRules = (typeof policyOptions)[number] | (typeof requestOptions)[number]

/** The options that rules decide for each request, so that they exclude `rules`. */
export const decidedByRules: readonly DecidedByRules[] = [...policyOptions, ...requestOptions]

/** The names of policies, as far as the compiler knows them. */
type PolicyName<P> = unknown extends P
  ? string
  : P extends Policy | undefined
    ? 'default'
    : P extends Extract<Policies, Readonly<Record<string, Policy>>>
      ? keyof P & string
      : string
