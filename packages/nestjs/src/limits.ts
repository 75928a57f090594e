import { DiscoveryService, Reflector, type ModulesContainer } from '@nestjs/core'
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
import { methodUnseen } from './errors.js'
import { followMethod, isFollowed } from './handler-follower.js'
import type { Limited } from './nest-call.js'
import {
  fieldsHaveInterceptors,
  hasGlobalGuard,
  isFieldResolver,
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
type Limit = Guard<Limited, OnDenied>

/** The limit of a method. */
export interface AppliedLimit {
  readonly guard: Limit
  /** Whether the method has the limit of the module, because no decorator declares one. */
  readonly isOfModule: boolean
  /** Whether the method is not limited. */
  readonly isEmpty: boolean
  /** Whether an option lacks the key, so that calls count by their address. */
  readonly isByAddress: boolean
  /**
   * Whether an interceptor follows the method. It follows no field resolver for which Nest runs the global guard but no interceptors: the module counts
   * operations, which their other methods decide.
   *
   * @throws SluiceError SLUICE_METHOD_UNSEEN for any other method without an interceptor
   */
  isFollowed(): boolean
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
const reflector = new Reflector()

/** The limits of an application. Its guards share them: Nest makes a guard for each module that uses one. */
export function limitsIn(modules: ModulesContainer, defaults: Options = {}): Limits {
  return getOrAdd(applications, modules, () => createLimits(modules, defaults))
}

/** Makes all limits that decorators declare, so that wrong options are found at the start of the application. */
function createLimits(modules: ModulesContainer, options: Options): Limits {
  const { scope: _, ...base } = { ...options, store: options.store ?? memoryStore() }
  const known = new Map<Handler, Map<Handler, AppliedLimit>>()
  const made = new Map<readonly Options[], Map<string, Limit>>()
  const ofModule = [options]
  const limiters = createLimiters<Limited, OnDenied>()
  const controllers = typesOf(new DiscoveryService(modules).getControllers())
  const providers = new DiscoveryService(modules).getProviders()
  const isGlobal = hasGlobalGuard(providers)
  const others = typesOf(providers).filter(
    (type) =>
      !controllers.includes(type) && methodsOf(type).some(([, method]) => isReached(type, method)),
  )
  const types = [...controllers, ...others]

  for (const type of types) {
    for (const [name, handler] of methodsOf(type)) {
      if (isReached(type, handler)) prepare(type, name, handler)
    }
  }
  return { limitOf, of: limiters.of }

  /** Whether a method may have a limit. A global guard does not reach gateways. */
  function isReached(type: Handler, handler: Handler): boolean {
    const isGlobals = isGlobal && (controllers.includes(type) || isResolver(handler))
    return isGlobals || isGuarded(type, handler)
  }

  function prepare(type: Handler, name: string, handler: Handler): void {
    const { guard, isByAddress } = limitOf(type, handler)
    const isMessage = isOfMicroservice(handler)
    // A microservice beside a server does not inherit the guard of the module by default.
    if (isMessage && isByAddress && (isGuarded(type, handler) || serverOf(modules) === undefined)) {
      throw sluiceError('SLUICE_OPTION_MISSING', `${type.name}.${name}`, 'key', messageKey)
    }
    const isRoute = controllers.includes(type) && !isMessage
    // Over HTTP the response tells how a method has ended.
    if (isRoute ? guard.holds : guard.needsOutcome) followMethod(type, name, handler)
  }

  function limitOf(type: Handler, handler: Handler): AppliedLimit {
    const handlers = getOrAdd(known, type, () => new Map<Handler, AppliedLimit>())
    return getOrAdd(handlers, handler, () => {
      const list = declaredAt(handler, type)
      const decorated = list === declaredAt(handler) ? 'route' : 'controller'
      const defaultScope = list === undefined ? 'global' : decorated
      const whole = list ?? ofModule
      return {
        guard: limitFrom(whole, defaultScope, (scope) => nameOf(scope, type, handler)),
        isOfModule: list === undefined,
        isEmpty: whole.length === 0,
        isByAddress: whole.some((own) => isByAddress(inherit(base, own))),
        isFollowed: () => isSeen(type, handler),
      }
    })
  }

  function isSeen(type: Handler, handler: Handler): boolean {
    const isField = isFieldResolver(handler)
    if (isFollowed(type, handler) && !(isField && !fieldsHaveInterceptors(modules))) return true
    if (isField && !isGuarded(type, handler)) return false
    throw methodUnseen(`${type.name}.${handler.name}`)
  }

  /** Handlers with the same list and the same names share a limit. */
  function limitFrom(
    list: readonly Options[],
    defaultScope: Scope,
    nameOf: (scope: Scope) => string,
  ): Limit {
    const limits = list.map(({ scope = defaultScope, name, ...own }, at) => {
      const scoped = nameOf(scope)
      const suffix = scope === defaultScope ? '' : `.${scoped}`
      const derived = at === 0 ? scoped : `${scoped} #${at + 1}`
      return {
        options: inherit(base, own),
        name: name === undefined ? derived : `${name}${suffix}`,
      }
    })
    const names = limits.map(({ name }) => name)
    const known = getOrAdd(made, list, () => new Map<string, Limit>())
    return getOrAdd(known, JSON.stringify(names), () =>
      inOrder(
        limits.map(({ options, name }) => {
          // Rules have a name of their own.
          const whole = options.rules === undefined ? { ...options, name } : options
          return limiters.add(createGuard(whole, name))
        }),
      ),
    )
  }

  /**
   * The name of a limiter is derived from its scope, because limiters with the same name and store count together. Classes with the same name
   * are numbered in the order in which Nest reads its modules, which is the same in every process.
   */
  function nameOf(scope: Scope, type: Handler, handler: Handler): string {
    const nth = types.filter(({ name }) => name === type.name).indexOf(type)
    const own = nth > 0 ? `${type.name}~${nth + 1}` : type.name
    // Not `handler.name`, because another decorator may have replaced the function.
    const [method = handler.name] = methodsOf(type).find(([, found]) => found === handler) ?? []
    const names = { global: 'default', controller: own, route: `${own}.${method}` }
    readOptions('rateLimit', { scope }, { scope: oneOf('route', 'controller', 'global') })
    return names[scope]
  }
}

const messageKey =
  'a key: a message of a microservice comes without an address, and one count for all callers would let one caller use up the limit of the others'

/** Whether a limit uses the default key. Rules have keys of their own. */
function isByAddress({
  key,
  rules,
}: {
  readonly key?: unknown
  readonly rules?: unknown
}): boolean {
  return key === undefined && rules === undefined
}

/** The options that decorators declare at the first decorated target. */
function declaredAt(...targets: Handler[]): readonly Options[] | undefined {
  return reflector.getAllAndOverride(limitsKey, targets)
}

interface AnyMap<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): unknown
}

function getOrAdd<K, V>(map: AnyMap<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make()
  map.set(key, value)
  return value
}
