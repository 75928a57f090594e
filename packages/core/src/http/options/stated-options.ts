import type { Policies } from '../../limiter/bound-policies.js'
import type { DurationLiteral } from '../../options/readers.js'
import type { Policy } from '../../policy.js'
import type { KeyOption } from '../keys/key-option.js'
import type { RateLimitOptions } from './options.js'

/**
 * Options that say in one way what is allowed: by `limit` and `window`, by `policy`, or by `policies`. Where they are merged over others, they
 * need not say it.
 */
export type OneRule<O extends Rules> = O & (Short | Single | Several)

/** As `OneRule`, for options that are merged over no others: they have to say what is allowed. */
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
 * What the compiler looks at where options are written. `W` is the type of `window`: a literal has to be a duration. `P` is that of `policies`:
 * a record of keys has to have their names, and no others.
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
