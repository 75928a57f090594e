import { Reflector, type ModulesContainer } from '@nestjs/core'
import { memoryStore } from '@sluice/core'
import { createGuard, inherit, type Guard } from '@sluice/core/http'
import { controllersOf, methodsOf, type Controller, type Handler } from './controllers.js'
import { createNames, isNarrower } from './limit-names.js'
import type { NestRequest, OnDenied, RateLimitOptions, Scope } from './options.js'

/** Where the module leaves its options. */
export const defaultsToken: unique symbol = Symbol('@sluice/nestjs: defaults')

/** Where decorators leave theirs: a list, empty where nothing is to be limited. */
export const limitsKey = '@sluice/nestjs: limits'

export interface Defaults {
  /** Whether they stand in front of every route. */
  readonly global: boolean
  readonly options: RateLimitOptions
}

type Limit = Guard<NestRequest, OnDenied>

/** Finds what stands in front of a handler: each of them has to admit. */
export type LimitsOf = (controller: Controller, handler: Handler) => readonly Limit[]

const applications = new WeakMap<ModulesContainer, LimitsOf>()

/** The limits of one application, whichever of its guards asks: Nest makes a guard for each module that names it. */
export function limitsIn(modules: ModulesContainer, defaults?: Defaults): LimitsOf {
  return entry(applications, modules, () =>
    createLimits(modules, defaults ?? { global: false, options: {} }),
  )
}

/** Makes all that is stated at once, so that wrong options are found when the application starts. */
function createLimits(modules: ModulesContainer, { global, options }: Defaults): LimitsOf {
  const { scope: _, ...base } = { store: memoryStore(), ...options }
  const reflector = new Reflector()
  const controllers = controllersOf(modules)
  const nameOf = createNames(controllers)
  const known = new Map<Controller, Map<Handler, readonly Limit[]>>()
  const made = new Map<RateLimitOptions, Map<string, Limit>>()

  for (const controller of controllers) {
    for (const handler of methodsOf(controller).values()) {
      if (global || statedAt(controller, handler) !== undefined) limitsOf(controller, handler)
    }
  }
  return limitsOf

  function limitsOf(controller: Controller, handler: Handler): readonly Limit[] {
    const handlers = entry(known, controller, () => new Map<Handler, readonly Limit[]>())
    return entry(handlers, handler, () => {
      const stated = statedAt(controller, handler)
      if (stated === undefined) return [limitOf(options, 'global', '', controller, handler)]
      return stated.list.map((own, i) =>
        limitOf(own, stated.place, i === 0 ? '' : `#${i + 1}`, controller, handler),
      )
    })
  }

  function statedAt(controller: Controller, handler: Handler): Stated | undefined {
    const atMethod = reflector.get<Stated['list'] | undefined>(limitsKey, handler)
    if (atMethod !== undefined) return { place: 'route', list: atMethod }
    const atClass = reflector.get<Stated['list'] | undefined>(limitsKey, controller)
    return atClass && { place: 'controller', list: atClass }
  }

  function limitOf(
    stated: RateLimitOptions,
    place: Scope,
    nth: string,
    controller: Controller,
    handler: Handler,
  ): Limit {
    const { scope = place, ...own } = stated
    const scoped = nameOf(scope, controller, handler) + nth
    const { name = scoped } = own
    const whole = name === scoped || !isNarrower(scope, place) ? name : `${name}.${scoped}`
    const limits = entry(made, stated, () => new Map<string, Limit>())
    return entry(limits, whole, () =>
      createGuard({ ...(stated === options ? base : inherit(base, own)), name: whole }, whole),
    )
  }
}

interface Stated {
  readonly place: Scope
  readonly list: readonly RateLimitOptions[]
}

interface Entries<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): unknown
}

function entry<K, V>(entries: Entries<K, V>, key: K, make: () => V): V {
  const found = entries.get(key)
  if (found !== undefined) return found
  const value = make()
  entries.set(key, value)
  return value
}
