import type { ExecutionContext } from '@nestjs/common'
import { DiscoveryService, MetadataScanner, Reflector, type ModulesContainer } from '@nestjs/core'
import { memoryStore, type Limiter } from '@sluice/core'
import {
  assertOneOf,
  createGuard,
  createLimiters,
  inherit,
  inOrder,
  mergeLimits,
  type Guard,
} from '@sluice/core/http'
import { followMethod } from './handler-follower.js'
import type { NestRequest, OnDenied, RateLimitOptions, Scope } from './options.js'

/** Where the module leaves its options. */
export const defaultsToken: unique symbol = Symbol('@sluice/nestjs: defaults')

/** Where decorators leave theirs: a list, empty where nothing is to be limited. */
export const limitsKey = '@sluice/nestjs: limits'

/** What the module says, and whether it says it of every route. */
export interface Defaults {
  readonly global: boolean
  readonly options: RateLimitOptions
}

type Limit = Guard<NestRequest, OnDenied>
type Handler = ReturnType<ExecutionContext['getHandler']>

/** The limits of one application. */
export interface Limits {
  /** Finds the limit in front of a handler. */
  limitOf(controller: Handler, handler: Handler): Limit
  /**
   * Finds a limiter by its name.
   *
   * @throws SluiceError SLUICE_LIMITER_UNKNOWN
   */
  limiterOf(name: string): Limiter
}

const applications = new WeakMap<ModulesContainer, Limits>()
const reflector = new Reflector()
const scanner = new MetadataScanner()

/** The limits of one application, whichever of its guards asks: Nest makes a guard for each module that names it. */
export function limitsIn(modules: ModulesContainer, defaults?: Defaults): Limits {
  const none = { global: false, options: {} }
  return entry(applications, modules, () => createLimits(modules, defaults ?? none))
}

/** Makes all that is stated at once, so that wrong options are found when the application starts. */
function createLimits(modules: ModulesContainer, { global, options }: Defaults): Limits {
  const { scope: _, ...base } = { ...options, store: options.store ?? memoryStore() }
  const known = new Map<Handler, Map<Handler, Limit>>()
  const made = new Map<readonly RateLimitOptions[], Map<string, Limit>>()
  const ofModule = [options]
  const limiters = createLimiters()
  const wrappers = new DiscoveryService(modules).getControllers()
  const controllers = [...new Set(wrappers.map(({ metatype }) => metatype))].filter(isHandler)

  for (const controller of controllers) {
    for (const [name, handler] of methodsOf(controller)) {
      if (!global && statedAt(handler, controller) === undefined) continue
      const { holds } = limitOf(controller, handler)
      if (holds) followMethod(controller, name, handler)
    }
  }
  return { limitOf, limiterOf: limiters.of }

  function limitOf(controller: Handler, handler: Handler): Limit {
    const handlers = entry(known, controller, () => new Map<Handler, Limit>())
    return entry(handlers, handler, () => {
      const list = statedAt(handler, controller)
      const above = list === statedAt(handler) ? 'route' : 'controller'
      const place = list === undefined ? 'global' : above
      return limitFrom(list ?? ofModule, place, (scope) => nameOf(scope, controller, handler))
    })
  }

  /** Those that share a list and its names share its limit. */
  function limitFrom(
    list: readonly RateLimitOptions[],
    place: Scope,
    nameOf: (scope: Scope) => string,
  ): Limit {
    const limits = list.map(({ scope = place, name, ...own }, at) => {
      const scoped = nameOf(scope)
      const whole = name === undefined ? scoped : scope === place ? name : `${name}.${scoped}`
      return { at, options: inherit(base, own), name: whole, derived: name === undefined }
    })
    const names = limits.map(({ name }) => name)
    const known = entry(made, list, () => new Map<string, Limit>())
    return entry(known, JSON.stringify(names), () =>
      inOrder(
        mergeLimits(limits).map(({ options, name }) => {
          const guard = createGuard({ ...options, name }, name)
          limiters.add(guard.limiter)
          return guard
        }),
      ),
    )
  }

  /**
   * In one store, limits of one name count together: their scope makes the name. Controllers that happen to share the name of their class are
   * numbered in the order in which Nest has read its modules, which is the same in every process.
   */
  function nameOf(scope: Scope, controller: Handler, handler: Handler): string {
    const nth = controllers.filter(({ name }) => name === controller.name).indexOf(controller)
    const type = nth > 0 ? `${controller.name}~${nth + 1}` : controller.name
    // Not the function's own name: what other decorators have put in its place may have any.
    const [method = handler.name] = methodsOf(controller).find((own) => own[1] === handler) ?? []
    const names = { global: 'default', controller: type, route: `${type}.${method}` }
    assertOneOf('scope', scope, Object.keys(names))
    return names[scope]
  }
}

/** What decorators say of the first of these that has any. */
function statedAt(...targets: Handler[]): readonly RateLimitOptions[] | undefined {
  return reflector.getAllAndOverride(limitsKey, targets)
}

/** The methods of a class with their names, those that it inherits included. */
function methodsOf({ prototype }: { readonly prototype: object }): [string, Handler][] {
  return scanner.getAllMethodNames(prototype).flatMap((name): [string, Handler][] => {
    const method: unknown = Reflect.get(prototype, name)
    return isHandler(method) ? [[name, method]] : []
  })
}

function isHandler(value: unknown): value is Handler {
  return typeof value === 'function'
}

interface Entries<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): unknown
}

function entry<K, V>(entries: Entries<K, V>, key: K, make: () => V): V {
  const value = entries.get(key) ?? make()
  entries.set(key, value)
  return value
}
