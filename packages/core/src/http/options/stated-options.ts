import type { Policies } from '../../limiter/bound-policies.js'
import type { DurationLiteral } from '../../options/readers.js'
import type { Policy } from '../../policy.js'
import type { KeyOption } from '../keys/key-option.js'
import type { RateLimitOptions } from './options.js'

/**
 * Options with at most one of the four forms: `limit` and `window`, `policy`, `policies`, or `rules`. For options that are merged over others, so
 * that all four may be absent.
 */
export type OneRule<O extends Forms> = RulesFirst & O & (Short | Single | Several | ByRules)

/** Options with exactly one of the four forms. For options that are not merged over others. */
export type WholeRule<O extends Forms> = RulesFirst &
  O &
  (
    | (Short & Stating<O, 'limit' | 'window'>)
    | (Single & Stating<O, 'policy'>)
    | (Several & Stating<O, 'policies'>)
    | (ByRules & Stating<O, 'rules'>)
  )

/**
 * The compiler looks at the absent properties of a call in their order, and drops the forms that require them until one is left. If that were the form
 * with rules, it would not know the parameters of a function `key`.
 */
interface RulesFirst {
  readonly rules?: unknown
}

type Forms = Pick<
  RateLimitOptions<never, unknown>,
  'limit' | 'window' | 'policy' | 'policies' | 'rules'
>

/** The options that state the policies of a limiter, and its name. */
export const policyOptions = ['limit', 'window', 'algorithm', 'policy', 'policies', 'name'] as const

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

type ByRules = { readonly [K in DecidedByRules]?: undefined }

interface Short {
  readonly rules?: undefined
  readonly policy?: undefined
  readonly policies?: undefined
}

interface Single {
  readonly rules?: undefined
  readonly limit?: undefined
  readonly window?: undefined
  readonly algorithm?: undefined
  readonly policies?: undefined
}

interface Several {
  readonly rules?: undefined
  readonly limit?: undefined
  readonly window?: undefined
  readonly algorithm?: undefined
  readonly policy?: undefined
}

type Stating<O, K extends keyof O> = { readonly [N in K]-?: Exclude<O[N], undefined> }

/**
 * The options that the compiler checks at a call. `W` is the type of `window`: a literal must be a duration. `P` is the type of `policies`: a record
 * of keys must have exactly the names of the policies.
 */
export interface Stated<R, W, P> {
  readonly window?: DurationLiteral<W>
  readonly policies?: P
  readonly key?: KeyOption<R, PolicyName<NoInfer<P>>>
}

/** The names of policies, as far as the compiler knows them. */
type PolicyName<P> = unknown extends P
  ? string
  : P extends Policy | undefined
    ? 'default'
    : P extends Extract<Policies, Readonly<Record<string, Policy>>>
      ? keyof P & string
      : string
