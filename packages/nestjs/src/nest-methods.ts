import { SetMetadata, type ExecutionContext } from '@nestjs/common'
import { GUARDS_METADATA } from '@nestjs/common/constants.js'
import {
  APP_GUARD,
  HttpAdapterHost,
  MetadataScanner,
  Reflector,
  type ModulesContainer,
} from '@nestjs/core'
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js'
import { isObject, memberOf } from './nest-call.js'

/** A method of a class, or the class. */
export type Handler = ReturnType<ExecutionContext['getHandler']>

// The metadata by which Nest knows methods that are not routes. Not imported, because the packages are optional.
const rootKey = 'graphql:resolver_type'
const fieldKeys = ['graphql:resolve_property', 'graphql:resolve_reference']
const patternKey = 'microservices:pattern'
const graphqlOptionsToken = 'GqlModuleOptions'

const reflector = new Reflector()
const scanner = new MetadataScanner()

/** The classes of controllers or providers. */
export function typesOf(wrappers: readonly InstanceWrapper[]): Handler[] {
  return [...new Set(wrappers.map(({ metatype }) => metatype))].filter(isClass)
}

/** A factory of a provider can be an arrow function, which has no prototype. */
function isClass(value: unknown): value is Handler {
  return isHandler(value) && isObject(value.prototype)
}

/** The methods of a class with their names, including inherited ones. */
export function methodsOf({ prototype }: { readonly prototype: object }): [string, Handler][] {
  return scanner.getAllMethodNames(prototype).flatMap((name): [string, Handler][] => {
    const method: unknown = Reflect.get(prototype, name)
    return isHandler(method) ? [[name, method]] : []
  })
}

function isHandler(value: unknown): value is Handler {
  return typeof value === 'function'
}

/** Whether a method handles messages of a microservice. */
export function isOfMicroservice(method: Handler): boolean {
  return isMarked(method, patternKey)
}

export function isResolver(method: Handler): boolean {
  return isMarked(method, rootKey) || isFieldResolver(method)
}

export function isFieldResolver(method: Handler): boolean {
  return fieldKeys.some((key) => isMarked(method, key))
}

function isMarked(method: Handler, key: string): boolean {
  return reflector.get<unknown>(key, method) !== undefined
}

/** The metadata key by which `RateLimitGuard` and its subclasses are known: to import the guard here would be a cycle. */
const guardKey = '@sluice/nestjs: guard'

export const MarkGuard = (): ClassDecorator => SetMetadata(guardKey, true)

/** Whether a method or its class has `RateLimitGuard`, by a decorator or by `UseGuards`. */
export function isGuarded(type: Handler, method: Handler): boolean {
  return [type, method].some((target) =>
    listAt(target, GUARDS_METADATA).some((guard) => isGuard(guard)),
  )
}

function isGuard(guard: unknown): boolean {
  const type = isObject(guard) ? guard.constructor : guard
  return isHandler(type) && isMarked(type, guardKey)
}

/** Whether `RateLimitGuard` is provided as a guard of the whole application. */
export function hasGlobalGuard(providers: readonly InstanceWrapper[]): boolean {
  return providers.some(
    // Nest adds an id to the token.
    ({ token, metatype }) => String(token).startsWith(APP_GUARD) && isGuard(metatype),
  )
}

/** A list in the metadata of a method or a class. */
export function listAt(target: Handler, key: string): unknown[] {
  const list: unknown = reflector.get(key, target)
  return Array.isArray(list) ? list : []
}

/** The adapter of a server. */
interface Server {
  getType(): string
  getInstance(): unknown
}

/** The server of the application. Undefined if the application does not serve HTTP. */
export function serverOf(modules: ModulesContainer): Server | undefined {
  for (const { providers } of modules.values()) {
    const host: unknown = providers.get(HttpAdapterHost)?.instance
    if (!(host instanceof HttpAdapterHost)) continue
    const server: unknown = host.httpAdapter
    return isServer(server) ? server : undefined
  }
  return undefined
}

function isServer(value: unknown): value is Server {
  return isObject(value) && 'getInstance' in value
}

/** Whether Nest runs interceptors for field resolvers where it runs guards for them. */
export function fieldsHaveInterceptors(modules: ModulesContainer): boolean {
  return [...modules.values()].every(({ providers }) => {
    const options: unknown = providers.get(graphqlOptionsToken)?.instance
    const enhancers = memberOf(options, 'fieldResolverEnhancers')
    const runs = Array.isArray(enhancers) ? enhancers : []
    return !runs.includes('guards') || runs.includes('interceptors')
  })
}
