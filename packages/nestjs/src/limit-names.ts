import { SluiceError } from '@sluice/core'
import { methodsOf, type Controller, type Handler } from './controllers.js'
import type { Scope } from './options.js'

/** What a limit is called whose requests count together so far. */
export type NameOf = (scope: Scope, controller: Controller, handler: Handler) => string

const scopes: readonly Scope[] = ['route', 'controller', 'global']

/** Whether a scope is narrower than the place where it was stated, so that there are several limits of one statement. */
export function isNarrower(scope: Scope, place: Scope): boolean {
  return scopes.indexOf(scope) < scopes.indexOf(place)
}

/**
 * Names limits by their scope: in one store, those of one name count together. Controllers that happen to share the name of their class are
 * numbered, in the order that is given.
 */
export function createNames(controllers: Iterable<Controller>): NameOf {
  const namesakes = new Map<string, Controller[]>()
  for (const controller of controllers) classNameOf(controller)

  return function nameOf(scope, controller, handler) {
    switch (scope) {
      case 'global':
        return 'default'
      case 'controller':
        return classNameOf(controller)
      case 'route':
        return `${classNameOf(controller)}.${methodNameOf(controller, handler)}`
      default:
        throw unknownScope(scope)
    }
  }

  function classNameOf(controller: Controller): string {
    const { name } = controller
    const same = namesakes.get(name) ?? []
    namesakes.set(name, same)
    if (!same.includes(controller)) same.push(controller)
    const nth = same.indexOf(controller) + 1
    return nth === 1 ? name : `${name}~${nth}`
  }
}

// Not the function's own name: what other decorators have put in its place may have any.
function methodNameOf(controller: Controller, handler: Handler): string {
  for (const [name, method] of methodsOf(controller)) if (method === handler) return name
  return handler.name
}

function unknownScope(scope: never): SluiceError {
  const expected = `pass 'route', 'controller' or 'global'`
  return new SluiceError(
    'SLUICE_OPTION_INVALID',
    `rateLimit: "scope" is ${JSON.stringify(scope)}; ${expected}.`,
  )
}
