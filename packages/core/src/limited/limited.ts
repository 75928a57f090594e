import { emitWarning, messageOf, sluiceError, SluiceError } from '../errors.js'
import { isNotLimited } from '../keys.js'
import type { Decision, HeldLease } from '../limiter/decision.js'
import { keepLease } from '../limiter/leases.js'
import type { Limiter } from '../limiter/limiter.js'
import { delayRequest } from '../limiter/waits.js'
import { isFunction, isRecord } from '../options/predicates.js'
import {
  checked,
  checkedIfGiven,
  optional,
  readOption,
  readOptions,
  shortDuration,
  waitOption,
  type Duration,
} from '../options/readers.js'
import { methodDecorator } from './decorator.js'
import {
  checkLimitedCall,
  type Arguments,
  type LimitedCall,
  type LimitedOptions,
} from './limited-options.js'

/**
 * Limits any function or method: a call of a service, a job. The result wraps a function, or decorates a method, both as a standard decorator and with
 * `experimentalDecorators`. A limited function is asynchronous. If a call holds the lease of a `concurrency` policy, the lease is renewed while the function
 * runs, at most for `maxHold`, and released when it has ended.
 *
 * `describeCall` returns the key of a call, and its cost and policies. It receives the arguments and the `this` of the call. Declare the types of its
 * parameters: a function that takes other arguments does not compile.
 *
 * @example
 * import { createLimiter, limited, slidingWindow } from '@sluice/core'
 *
 * const mails = createLimiter({ name: 'mails', policies: slidingWindow({ limit: 5, window: '1h' }) })
 * const perAddress = limited(mails, (to: string) => ({ key: ['mail', to] }), { wait: { max: '5s' } })
 *
 * const send = perAddress(async (to: string, text: string) => console.log(`to ${to}: ${text}`))
 *
 * class Mailer {
 *   @perAddress
 *   async send(to: string): Promise<void> {
 *     console.log(`to ${to}`)
 *   }
 * }
 * @throws SluiceError if an option is unknown or wrong; a call rejects with a DeniedError, or with the error of the limiter
 */
export function limited<A extends Arguments, T = unknown, R = never>(
  limiter: Limiter,
  describeCall: (this: T, ...args: A) => LimitedCall | PromiseLike<LimitedCall>,
  options?: LimitedOptions<A, T, R>,
): Limited<AtLeast<A>, T, R>
export function limited(
  limiter: Limiter,
  describeCall: (this: unknown, ...args: unknown[]) => LimitedCall | PromiseLike<LimitedCall>,
  options: LimitedOptions = {},
): unknown {
  readOption('limited', 'limiter', limiter, limiterReader)
  readOption('limited', 'describeCall', describeCall, callReader)
  const { maxHold } = readOptions('limited', options, limitedReaders)
  const { onDenied, wait } = options

  return methodDecorator<(this: unknown, ...args: unknown[]) => unknown>(
    (method) =>
      async function limitedFunction(...args) {
        const call = await describeCall.apply(this, args)
        checkLimitedCall(limiter.name, call)
        const run = () => method.apply(this, args)
        if (isNotLimited(call.key)) return run()
        const decision = await decide(limiter, call, wait?.max)
        if (decision.allowed) return whileHeld(decision.lease, maxHold, limiter.name, run)
        if (onDenied !== undefined) return onDenied.call(this, decision, ...args)
        throw new DeniedError(limiter.name, decision)
      },
  )
}

/**
 * Limits a function, or, as a decorator, a method. `A` are the arguments that it needs at least, `T` is the type that its `this` needs, and `R` the value of a
 * denied call.
 */
export interface Limited<A extends Arguments, T, R> {
  // A constraint of `F` to functions would remove the type parameters of generic ones. Without the second parameter, the compiler would take
  // this form for a decorator of anything.
  <F extends object>(fn: F & Fitting<F, A, R>, context?: undefined): Promised<F>
  <This, M extends AsyncFunction>(
    method: M & Fitting<M, A, R>,
    context: ClassMethodDecoratorContext<This> & Owner<This, T>,
  ): M
  <O extends object, M extends AsyncFunction>(
    target: O & Owner<O, T>,
    name: string | symbol,
    descriptor: TypedPropertyDescriptor<M> & Fitting<M, A, R>,
  ): TypedPropertyDescriptor<M>
}

/** A decorated method keeps its type in the class, so it has to return a promise before it is decorated. */
export type AsyncFunction = (this: never, ...args: never[]) => Promise<unknown>

/** No further constraint if the limiting functions can take the arguments of `F` and return what it returns; else the reason. */
export type Fitting<F, A extends Arguments, R> = F extends (...args: infer P) => infer V
  ? P extends A
    ? [Awaited<R>] extends [Awaited<V>]
      ? unknown
      : '"onDenied" returns something else than the limited function'
    : '"describeCall" takes other arguments than the limited function'
  : 'a function belongs here'

/** The same for the `this` of the limiting functions. */
export type Owner<This, T> = This extends T ? unknown : '"describeCall" belongs to another class'

/** The same function if it is asynchronous, else one that returns a promise of the same value. */
export type Promised<F> = F extends (this: infer T, ...args: infer P) => infer V
  ? [V] extends [Promise<unknown>]
    ? F
    : (this: T, ...args: P) => Promise<Awaited<V>>
  : never

/** A function that takes these arguments may be called with more of them. The arguments of a rest parameter have one type, however many. */
export type AtLeast<A extends Arguments> = number extends A['length'] ? A : [...A, ...unknown[]]

async function decide(limiter: Limiter, call: LimitedCall, max?: Duration): Promise<Decision> {
  const { key, cost = 1, policies, signal } = call
  if (max !== undefined) return limiter.acquire(key, { cost, policies, maxWait: max, signal })
  signal?.throwIfAborted()
  return delayRequest(limiter, await limiter.consume(key, { cost, policies }), signal)
}

/** Renews the lease while the work lasts. Work that hangs must not hold it for ever. */
async function whileHeld(
  lease: HeldLease | undefined,
  maxHold: number,
  limiter: string,
  work: () => unknown,
): Promise<unknown> {
  if (lease === undefined) return work()
  const release = keepLease(lease, maxHold, () => {
    emitWarning(sluiceError('SLUICE_HELD_LONG', limiter, maxHold))
  })
  try {
    return await work()
  } finally {
    // A release that fails does not change the result of the function, because a lease that is not released expires.
    await (async () => release())().catch(() => {})
  }
}

const limitedReaders = {
  wait: waitOption,
  maxHold: optional(shortDuration, 3_600_000),
  onDenied: checkedIfGiven('a function of the decision and the arguments', isFunction),
}

const limiterReader = checked(
  'a limiter: createLimiter({ name, policies })',
  (value): value is Limiter => isRecord(value) && 'consume' in value,
)

const callReader = checked(
  'a function that says what a call consumes, such as (id) => ({ key: ["user", id] })',
  isFunction,
)

/** The error with which a denied call of a limited function rejects, unless `onDenied` returns a value. Its code is SLUICE_DENIED. */
export class DeniedError extends SluiceError {
  /** The decision that denied the call. */
  readonly decision: Decision

  constructor(limiter: string, decision: Decision, advice?: string) {
    const { deniedBy, retryAfterMs } = decision
    super('SLUICE_DENIED', messageOf('SLUICE_DENIED', limiter, deniedBy, retryAfterMs, advice))
    this.decision = decision
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this !== DeniedError) return Function.prototype[Symbol.hasInstance].call(this, value)
    return value instanceof SluiceError && 'decision' in value
  }
}
