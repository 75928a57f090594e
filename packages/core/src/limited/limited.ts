import { methodDecorator } from './decorator.js'
import type { Decision, HeldLease } from '../limiter/decision.js'
import { DeniedError } from './denied-error.js'
import { invalidKey, type Keys, type PolicyChoice } from '../limiter/bound-policies.js'
import { sluiceError } from '../errors.js'
import { hold } from '../limiter/waiting/hold.js'
import { isNotLimited, type Key, type NotLimited } from '../keys.js'
import { keepLease } from '../limiter/leases/keep-alive.js'
import {
  checkLimitedOptions,
  type Arguments,
  type KeyOfCall,
  type LimitedOptions,
} from './limited-options.js'
import type { Limiter } from '../limiter/limiter.js'

/**
 * Limits any function or method: a call of a service, a job. What it gives wraps a function, and decorates a method, by standard and by
 * `experimentalDecorators`. A limited function is asynchronous. Where it holds the lease of a `concurrency` policy, that is kept alive while
 * the function runs, and released when it has ended.
 *
 * The arguments that `key` and its like take are written there with their types, and have to be those of the function.
 *
 * @example
 * const send = limited(limiter, { key: (to: string) => ['mail', to] })(sendMail)
 * @example
 * class Reports {
 *   @limited(limiter, { key: (id: string) => ['user', id], wait: { max: '5s' } })
 *   async create(id: string, title: string) { … }
 * }
 * @throws SluiceError where an option is missing, unknown or wrong; per call, in a promise, DeniedError and what the limiter rejects with
 */
export function limited<
  K extends Arguments,
  T = unknown,
  C extends Arguments = K,
  P extends Arguments = K,
  S extends Arguments = K,
  D extends Arguments = K,
  R = never,
>(
  limiter: Limiter,
  options: LimitedOptions<K, T, C, P, S, D, R>,
): Limited<AtLeast<K> & AtLeast<C> & AtLeast<P> & AtLeast<S> & AtLeast<D>, T, R>
export function limited(limiter: Limiter, options: LimitedOptions): unknown {
  checkLimiter(limiter)
  checkLimitedOptions(options)
  const { onDenied } = options

  return methodDecorator<Callable>(
    (method) =>
      async function limitedFunction(...args) {
        const decision = await admitted(limiter, options, this, args)
        if (decision === undefined) return method.apply(this, args)
        if (decision.allowed) return whileHeld(decision.lease, () => method.apply(this, args))
        if (onDenied !== undefined) return onDenied.call(this, decision, ...args)
        throw new DeniedError(limiter.name, decision)
      },
  )
}

/**
 * Limits a function, or, as a decorator, a method: `A` are the arguments with which it has to be called at the least, `T` what has to be its
 * `this`, `R` what it gives when it is denied.
 */
export interface Limited<A extends Arguments, T, R> {
  // Were it said here that `F` is a function, generic ones would lose their type parameters. And without the second parameter, the compiler
  // would take this form for a decorator of whatever there is.
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

/** In a class the type of a method stands, so it has to promise its value beforehand. */
export type AsyncFunction = (this: never, ...args: never[]) => Promise<unknown>

/** Nothing further, where the functions of the options can take the function's arguments, and give what it gives; else what is wrong. */
export type Fitting<F, A extends Arguments, R> = F extends (...args: infer P) => infer V
  ? P extends A
    ? [Awaited<R>] extends [Awaited<V>]
      ? unknown
      : '"onDenied" gives something else than the function does'
    : 'the options take other arguments than the function does'
  : 'a function belongs here'

/** The same of the `this` that the functions of the options have. */
export type Owner<This, T> = This extends T ? unknown : 'the options belong to another class'

/** The same function, if it is asynchronous; else one that promises the same value. */
export type Promised<F> = F extends (this: infer T, ...args: infer P) => infer V
  ? [V] extends [Promise<unknown>]
    ? F
    : (this: T, ...args: P) => Promise<Awaited<V>>
  : never

/** Whoever takes these arguments may be passed more. Those of a rest parameter are of one type, however many. */
export type AtLeast<A extends Arguments> = number extends A['length'] ? A : [...A, ...unknown[]]

type Callable = (this: unknown, ...args: unknown[]) => unknown

/** Undefined where no policy is asked. */
async function admitted(
  limiter: Limiter,
  options: LimitedOptions,
  self: unknown,
  args: Arguments,
): Promise<Decision | undefined> {
  const { key, wait, signal: ending } = options
  const keys = await keysOf(limiter, key, self, args)
  if (isNotLimited(keys)) return undefined
  const asked = await askedBy(limiter, options, self, args)
  const signal = typeof ending === 'function' ? ending.apply(self, args) : ending
  if (wait === undefined) {
    signal?.throwIfAborted()
    const decision = await limiter.consume(keys, asked)
    return hold(limiter, { ...asked, key: keys, decision }, signal)
  }
  const untilThen = signal === undefined ? {} : { signal }
  return limiter.acquire(keys, { ...asked, ...untilThen, maxWait: wait.max })
}

async function keysOf(
  limiter: Limiter,
  option: LimitedOptions['key'],
  self: unknown,
  args: Arguments,
): Promise<Keys> {
  if (isOne(option)) return keyOf(limiter, option, self, args)
  const entries = Object.entries(option).map(async ([policy, own]) => {
    return [policy, await keyOf(limiter, own, self, args, policy)] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

/** The limiter refuses whatever is no key. A record it would take; one that a function returns may come from a client, which would choose all keys. */
async function keyOf(
  limiter: Limiter,
  key: KeyOfCall<Arguments, unknown>,
  self: unknown,
  args: Arguments,
  policy?: string,
): Promise<Key | NotLimited> {
  const found = typeof key === 'function' ? await key.apply(self, args) : key
  if (typeof found !== 'object' || Array.isArray(found)) return found
  throw invalidKey(limiter.name, found, policy)
}

function isOne(option: LimitedOptions['key']): option is KeyOfCall<Arguments, unknown> {
  return typeof option !== 'object' || Array.isArray(option)
}

interface Asked extends PolicyChoice {
  readonly cost: number
}

/** To the limiter nothing means its own: a function that forgot to say what it is for has a bug. */
async function askedBy(
  limiter: Limiter,
  { cost = 1, policies }: LimitedOptions,
  self: unknown,
  args: Arguments,
): Promise<Asked> {
  const units = typeof cost === 'function' ? await cost.apply(self, args) : cost
  if (units === undefined) throw sluiceError('SLUICE_COST_INVALID', limiter.name, units)
  if (policies === undefined) return { cost: units }
  const chosen = typeof policies === 'function' ? await policies.apply(self, args) : policies
  if (chosen !== undefined) return { cost: units, policies: chosen }
  const expected = 'a function that gives a policy, or a record from name to policy'
  throw sluiceError('SLUICE_OPTION_INVALID', 'limited', 'policies', chosen, expected)
}

async function whileHeld(lease: HeldLease | undefined, work: () => unknown): Promise<unknown> {
  if (lease === undefined) return work()
  const letGo = keepLease(lease)
  try {
    return await work()
  } finally {
    await released(letGo)
  }
}

/** What was done is done, whatever becomes of the lease: one that is not released ends by itself. */
async function released(letGo: () => unknown): Promise<void> {
  try {
    await letGo()
  } catch {}
}

function checkLimiter(limiter: unknown): void {
  if (typeof limiter === 'object' && limiter !== null && 'consume' in limiter) return
  const expected = 'a limiter: createLimiter({ name, policies })'
  throw sluiceError('SLUICE_OPTION_INVALID', 'limited', 'limiter', limiter, expected)
}
