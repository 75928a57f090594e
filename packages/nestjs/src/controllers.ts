import type { ExecutionContext } from '@nestjs/common'
import { MetadataScanner, type ModulesContainer } from '@nestjs/core'

export type Controller = ReturnType<ExecutionContext['getClass']>
export type Handler = ReturnType<ExecutionContext['getHandler']>

const scanner = new MetadataScanner()

/** The controllers of an application in the order in which Nest has read its modules, which is the same in every process. */
export function controllersOf(modules: ModulesContainer): Set<Controller> {
  const found = new Set<Controller>()
  for (const { controllers } of modules.values()) {
    for (const { metatype } of controllers.values()) if (isClass(metatype)) found.add(metatype)
  }
  return found
}

// Nest has one type for all that it makes, and a provider may have no class.
function isClass(metatype: Controller | Handler | null): metatype is Controller {
  return typeof metatype === 'function'
}

/** The methods of a class by their names, those that it inherits included. */
export function methodsOf(controller: Controller): Map<string, Handler> {
  const methods = new Map<string, Handler>()
  const prototype: unknown = controller.prototype
  if (typeof prototype !== 'object' || prototype === null) return methods
  for (const name of scanner.getAllMethodNames(prototype)) {
    const method: unknown = Reflect.get(prototype, name)
    if (typeof method === 'function') methods.set(name, method)
  }
  return methods
}
