import { Inject, Injectable, Optional } from '@nestjs/common'
import { DiscoveryService, ModulesContainer, Reflector } from '@nestjs/core'
import { memoryStore } from '@sluice/core'
import {
  createGuard,
  createLimiters,
  inherit,
  inOrder,
  type Guard,
  type LimiterGuard,
} from '@sluice/core/http'
import { oneOf, readOptions, sluiceError } from '@sluice/core/internal'
import { getOrAdd } from './get-or-add.js'
import { followMethod } from './handler-follower.js'
import type { Limited } from './nest-call.js'
import {
  hasGlobalGuard,
  isGuarded,
  isOfMicroservice,
  isResolver,
  methodsOf,
  serverOf,
  typesOf,
  type Handler,
} from './nest-methods.js'
import type { OnDenied, RateLimitOptions, Scope } from './options.js'

/** The injection token of the module's options. */
export const defaultsToken: unique symbol = Symbol('@sluice/nestjs: defaults')

/** The metadata key of the decorators' options: a list, which is empty for `SkipRateLimit`. */
export const limitsKey = '@sluice/nestjs: limits'

export type Options = RateLimitOptions<Limited>
export type Limit = Guard<Limited, OnDenied>

/** The limit of a method. */
export interface AppliedLimit {
  readonly guard: Limit
  /** Whether the method has the limit of the module, because no decorator declares one. */
  readonly isOfModule: boolean
  /** Whether the method is not limited. */
  readonly isEmpty: boolean
  /** Whether an option lacks the key, so that calls count by their address. Rules have keys of their own. */
  readonly isByAddress: boolean
}

/** The limits of one application. */
export interface Limits {
  limitOf(type: Handler, handler: Handler): AppliedLimit
  /**
   * Finds a limit by the name of its limiter.
   *
   * @throws SluiceError SLUICE_LIMITER_UNKNOWN
   */
  of(name: string): LimiterGuard<Limited, OnDenied>
}

const applications = new WeakMap<ModulesContainer, Limits>()

/** The limits of an application. Its guards share them: Nest makes a guard for each module that uses one. */
export function limitsIn(modules: ModulesContainer, defaults: Options = {}): Limits {
  return getOrAdd(applications, modules, () => createLimits(modules, defaults))
}

/** Lets Nest inject the arguments of `limitsIn` into a class. Decorators as function calls, because decorator syntax needs a compiler option. */
export function injectLimits(type: Handler): void {
  Injectable()(type)
  Inject(ModulesContainer)(type, undefined, 0)
  Optional()(type, undefined, 1)
  Inject(defaultsToken)(type, undefined, 1)
}

/** Makes all limits that decorators declare, so that wrong options are found at the start of the application. */
function createLimits(modules: ModulesContainer, options: Options): Limits {
  const { scope: _, ...base } = { ...options, store: options.store ?? memoryStore() }
  const ofModule = [options]
  const known = new Map<Handler, Map<Handler, AppliedLimit>>()
  const made = new Map<readonly Options[], Map<string, Limit>>()
  const limiters = createLimiters<Limited, OnDenied>()
  const discovery = new DiscoveryService(modules)
  const controllers = new Set(typesOf(discovery.getControllers()))
  const providers = discovery.getProviders()
  const isGlobal = hasGlobalGuard(providers)
  const types = [...new Set([...controllers, ...typesOf(providers)])].filter(
    (type) => controllers.has(type) || limitedMethods(type).length > 0,
  )

  for (const type of types) {
    for (const [name, handler] of limitedMethods(type)) prepare(type, name, handler)
  }
  return { limitOf, of: limiters.of }

  /** The methods that may have a limit. A global guard does not reach gateways. */
  function limitedMethods(type: Handler): [name: string, handler: Handler][] {
    const isReached = (handler: Handler): boolean =>
      isGlobal && (controllers.has(type) || isResolver(handler))
    return methodsOf(type).filter(([, handler]) => isReached(handler) || isGuarded(type, handler))
  }

  function prepare(type: Handler, name: string, handler: Handler): void {
    const { guard, isByAddress } = limitOf(type, handler)
    const isMessage = isOfMicroservice(handler)
    // A microservice beside a server does not inherit the guard of the module by default.
    if (isMessage && isByAddress && (isGuarded(type, handler) || serverOf(modules) === undefined)) {
      throw sluiceError('SLUICE_OPTION_MISSING', `${type.name}.${name}`, 'key', messageKey)
    }
    const isRoute = controllers.has(type) && !isMessage
    // Over HTTP the response tells how a method has ended.
    if (isRoute ? guard.holds : guard.needsOutcome) followMethod(type, name, handler)
  }

  function limitOf(type: Handler, handler: Handler): AppliedLimit {
    const handlers = getOrAdd(known, type, () => new Map<Handler, AppliedLimit>())
    return getOrAdd(handlers, handler, () => {
      const own = declaredAt(handler)
      const list = own ?? declaredAt(type) ?? ofModule
      const above = list === ofModule ? 'global' : 'controller'
      const named = namesOf(list, own === undefined ? above : 'route', type, handler)
      const limits = list.map((options) => {
        const { scope: _, name: __, ...rest } = options
        return inherit(base, rest)
      })
      // Methods with the same list and the same names share a guard.
      const guards = getOrAdd(made, list, () => new Map<string, Limit>())
      const guard = getOrAdd(guards, JSON.stringify(named), () =>
        inOrder(limits.map((options, at) => limiters.add(guardOf(options, named[at])))),
      )
      return {
        guard,
        isOfModule: list === ofModule,
        isEmpty: list.length === 0,
        isByAddress: limits.some(({ key, rules }) => key === undefined && rules === undefined),
      }
    })
  }

  /**
   * The names of limiters are derived from their scopes, because limiters with the same name and store count together. Classes with the same name
   * are numbered in the order in which Nest reads its modules, which is the same in every process.
   */
  function namesOf(
    list: readonly Options[],
    defaultScope: Scope,
    type: Handler,
    handler: Handler,
  ): string[] {
    const nth = types.filter(({ name }) => name === type.name).indexOf(type)
    const controller = nth > 0 ? `${type.name}~${nth + 1}` : type.name
    // Not `handler.name`, because another decorator may have replaced the function.
    const [method = handler.name] = methodsOf(type).find(([, found]) => found === handler) ?? []
    const names = { global: 'default', controller, route: `${controller}.${method}` }
    return list.map(({ scope = defaultScope, name }, at) => {
      readOptions('rateLimit', { scope }, { scope: oneOf('route', 'controller', 'global') })
      if (name === undefined) return at === 0 ? names[scope] : `${names[scope]} #${at + 1}`
      return scope === defaultScope ? name : `${name}.${names[scope]}`
    })
  }
}

/** Rules have a name of their own. */
function guardOf(
  options: ReturnType<typeof inherit<Limited, OnDenied>>,
  name: string,
): LimiterGuard<Limited, OnDenied> {
  return createGuard(options.rules === undefined ? { ...options, name } : options, name)
}

const messageKey =
  'a key: a message of a microservice comes without an address, and one count for all callers would let one caller use up the limit of the others'

const reflector = new Reflector()

/** The options that decorators declare at a method or a class. */
function declaredAt(target: Handler): readonly Options[] | undefined {
  return reflector.get<readonly Options[] | undefined>(limitsKey, target)
}
