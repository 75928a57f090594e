import type { ExecutionContext } from '@nestjs/common'
import { DiscoveryService, MetadataScanner, Reflector, type ModulesContainer } from '@nestjs/core'
import { memoryStore } from '@sluice/core'
import {
  assertOneOf,
  createGuard,
  createLimiters,
  inherit,
  inOrder,
  mergeLimits,
  type Guard,
  type LimiterGuard,
} from '@sluice/core/http'
import { followMethod } from './handler-follower.js'
import type { NestRequest, OnDenied, RateLimitOptions, Scope } from './options.js'

/** The injection token of the module's options. */
export const defaultsToken: unique symbol = Symbol('@sluice/nestjs: defaults')

/** The metadata key of the decorators' options: a list, which is empty for `SkipRateLimit`. */
export const limitsKey = '@sluice/nestjs: limits'

/** The options of the module. */
export interface Defaults {
  /** Whether they apply to every route. */
  readonly global: boolean
  readonly options: RateLimitOptions
}

type Limit = Guard<NestRequest, OnDenied>
type Handler = ReturnType<ExecutionContext['getHandler']>

/** The limits of one application. */
export interface Limits {
  limitOf(controller: Handler, handler: Handler): Limit
  /**
   * Finds a limit by the name of its limiter.
   *
   * @throws SluiceError SLUICE_LIMITER_UNKNOWN
   */
  of(name: string): LimiterGuard<NestRequest, OnDenied>
}

const applications = new WeakMap<ModulesContainer, Limits>()
const reflector = new Reflector()
const scanner = new MetadataScanner()

/** The limits of an application. Its guards share them: Nest makes a guard for each module that uses one. */
export function limitsIn(modules: ModulesContainer, defaults?: Defaults): Limits {
  const none = { global: false, options: {} }
  return getOrAdd(applications, modules, () => createLimits(modules, defaults ?? none))
}

/** Makes all limits that decorators declare, so that wrong options are found at the start of the application. */
function createLimits(modules: ModulesContainer, { global, options }: Defaults): Limits {
  const { scope: _, ...base } = { ...options, store: options.store ?? memoryStore() }
  const known = new Map<Handler, Map<Handler, Limit>>()
  const made = new Map<readonly RateLimitOptions[], Map<string, Limit>>()
  const ofModule = [options]
  const limiters = createLimiters<NestRequest, OnDenied>()
  const wrappers = new DiscoveryService(modules).getControllers()
  const controllers = [...new Set(wrappers.map(({ metatype }) => metatype))].filter(isHandler)

  for (const controller of controllers) {
    for (const [name, handler] of methodsOf(controller)) {
      if (!global && declaredAt(handler, controller) === undefined) continue
      const { holds } = limitOf(controller, handler)
      if (holds) followMethod(controller, name, handler)
    }
  }
  return { limitOf, of: limiters.of }

  function limitOf(controller: Handler, handler: Handler): Limit {
    const handlers = getOrAdd(known, controller, () => new Map<Handler, Limit>())
    return getOrAdd(handlers, handler, () => {
      const list = declaredAt(handler, controller)
      const decorated = list === declaredAt(handler) ? 'route' : 'controller'
      const defaultScope = list === undefined ? 'global' : decorated
      return limitFrom(list ?? ofModule, defaultScope, (scope) =>
        nameOf(scope, controller, handler),
      )
    })
  }

  /** Handlers with the same list and the same names share a limit. */
  function limitFrom(
    list: readonly RateLimitOptions[],
    defaultScope: Scope,
    nameOf: (scope: Scope) => string,
  ): Limit {
    const limits = list.map(({ scope = defaultScope, name, ...own }, at) => {
      const scoped = nameOf(scope)
      const suffix = scope === defaultScope ? '' : `.${scoped}`
      const whole = name === undefined ? scoped : `${name}${suffix}`
      return { at, options: inherit(base, own), name: whole, derived: name === undefined }
    })
    const names = limits.map(({ name }) => name)
    const known = getOrAdd(made, list, () => new Map<string, Limit>())
    return getOrAdd(known, JSON.stringify(names), () =>
      inOrder(
        mergeLimits(limits).map(({ options, name }) => {
          // Rules have a name of their own.
          const whole = options.rules === undefined ? { ...options, name } : options
          const guard = createGuard(whole, name)
          limiters.add(guard)
          return guard
        }),
      ),
    )
  }

  /**
   * The name of a limiter is derived from its scope, because limiters with the same name and store count together. Controllers with the same class name
   * are numbered in the order in which Nest reads its modules, which is the same in every process.
   */
  function nameOf(scope: Scope, controller: Handler, handler: Handler): string {
    const nth = controllers.filter(({ name }) => name === controller.name).indexOf(controller)
    const type = nth > 0 ? `${controller.name}~${nth + 1}` : controller.name
    // Not `handler.name`, because another decorator may have replaced the function.
    const [method = handler.name] = methodsOf(controller).find((own) => own[1] === handler) ?? []
    const names = { global: 'default', controller: type, route: `${type}.${method}` }
    assertOneOf('scope', scope, Object.keys(names))
    return names[scope]
  }
}

/** The options that decorators declare at the first decorated target. */
function declaredAt(...targets: Handler[]): readonly RateLimitOptions[] | undefined {
  return reflector.getAllAndOverride(limitsKey, targets)
}

/** The methods of a class with their names, including inherited ones. */
function methodsOf({ prototype }: { readonly prototype: object }): [string, Handler][] {
  return scanner.getAllMethodNames(prototype).flatMap((name): [string, Handler][] => {
    const method: unknown = Reflect.get(prototype, name)
    return isHandler(method) ? [[name, method]] : []
  })
}

function isHandler(value: unknown): value is Handler {
  return typeof value === 'function'
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
