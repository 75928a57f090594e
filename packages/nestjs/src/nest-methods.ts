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
import { memberOf } from '@sluice/core/internal'
import { isObject } from './nest-call.js'

/** A method of a class, or the class. */
export type Handler = ReturnType<ExecutionContext['getHandler']>

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

/** The methods of a class by their names, including inherited ones. */
export function methodsOf({ prototype }: { readonly prototype: object }): [string, Handler][] {
  const names = scanner.getAllMethodNames(prototype)
  return names
    .map((name): [string, unknown] => [name, Reflect.get(prototype, name)])
    .filter((named): named is [string, Handler] => isHandler(named[1]))
}

function isHandler(value: unknown): value is Handler {
  return typeof value === 'function'
}

/** Whether a method handles messages of a microservice. */
export function isOfMicroservice(method: Handler): boolean {
  return isMarked(method, 'microservices:pattern')
}

export function isResolver(method: Handler): boolean {
  return isMarked(method, 'graphql:resolver_type') || isFieldResolver(method)
}

export function isFieldResolver(method: Handler): boolean {
  return isMarked(method, 'graphql:resolve_property', 'graphql:resolve_reference')
}

// The keys are not imported from the packages that set them, because these are optional.
function isMarked(method: Handler, ...keys: string[]): boolean {
  return keys.some((key) => reflector.get<unknown>(key, method) !== undefined)
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
  const hosts = instancesOf(modules, HttpAdapterHost)
  return hosts.map((host) => memberOf(host, 'httpAdapter')).find(isServer)
}

function isServer(value: unknown): value is Server {
  return isObject(value) && 'getInstance' in value
}

/** Whether Nest runs interceptors for field resolvers where it runs guards for them. */
export function fieldsHaveInterceptors(modules: ModulesContainer): boolean {
  return instancesOf(modules, 'GqlModuleOptions').every((options) => {
    const enhancers = memberOf(options, 'fieldResolverEnhancers')
    const runs = Array.isArray(enhancers) ? enhancers : []
    return !runs.includes('guards') || runs.includes('interceptors')
  })
}

function instancesOf(modules: ModulesContainer, token: Handler | string): unknown[] {
  return [...modules.values()].map(({ providers }) => providers.get(token)?.instance)
}
