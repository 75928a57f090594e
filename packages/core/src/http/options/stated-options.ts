import type { Policies } from '../../limiter/bound-policies.js'
import type { DurationLiteral } from '../../options/readers.js'
import type { Policy } from '../../policy.js'
import type { KeyOption } from '../keys/key-option.js'
import type { RateLimitOptions } from './options.js'

/**
 * Options with at most one of the three forms: `limit` and `window`, `policy`, or `policies`. For options that are merged over others, so that
 * all three may be absent.
 */
export type OneRule<O extends Rules> = O & (Short | Single | Several)

/** Options with exactly one of the three forms. For options that are not merged over others. */
export type WholeRule<O extends Rules> = O &
  (
    | (Short & Stating<O, 'limit' | 'window'>)
    | (Single & Stating<O, 'policy'>)
    | (Several & Stating<O, 'policies'>)
  )

type Rules = Pick<RateLimitOptions<never, unknown>, 'limit' | 'window' | 'policy' | 'policies'>

interface Short {
  readonly policy?: undefined
  readonly policies?: undefined
}

interface Single {
  readonly limit?: undefined
  readonly window?: undefined
  readonly algorithm?: undefined
  readonly policies?: undefined
}

interface Several {
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
