import { sluiceError } from '../errors.js'

/** A method, or a function, of any form. */
export type AnyFunction = (this: never, ...args: never[]) => unknown

/**
 * A decorator for methods of the form `F`, or of fewer parameters: by the standard (ECMAScript decorators, TypeScript 5), and by the older
 * `experimentalDecorators`.
 */
export interface MethodDecorator<F extends AnyFunction> {
  <M extends F>(method: M, context: ClassMethodDecoratorContext): M
  <M extends F>(
    target: object,
    name: string | symbol,
    descriptor: TypedPropertyDescriptor<M>,
  ): TypedPropertyDescriptor<M>
}

/**
 * Makes a decorator of a function that wraps methods; called with a function alone, it wraps that. A wrapped method keeps its name and its
 * length, and what others have noted on it (routes, metadata) is found on it still, in whatever order the decorators stand.
 *
 * @throws SluiceError where it decorates anything else: a getter that is passed over in silence would be limited by nothing
 */
export function methodDecorator<F extends AnyFunction>(wrap: (method: F) => F): MethodDecorator<F> {
  function decorate<M extends F>(method: M, context?: ClassMethodDecoratorContext): M
  function decorate<M extends F>(
    target: object,
    name: string | symbol,
    descriptor: TypedPropertyDescriptor<M>,
  ): TypedPropertyDescriptor<M>
  function decorate(
    methodOrTarget: F | object,
    contextOrName?: ClassMethodDecoratorContext | string | symbol,
    descriptor?: TypedPropertyDescriptor<F>,
  ): unknown {
    if (typeof contextOrName === 'string' || typeof contextOrName === 'symbol') {
      return { ...descriptor, value: wrapped(descriptor?.value) }
    }
    const isMethod = contextOrName === undefined || contextOrName.kind === 'method'
    return wrapped(isMethod ? methodOrTarget : undefined)
  }

  function wrapped(method: F | object | undefined): F {
    if (isFunction(method)) return inPlaceOf(method, wrap(method))
    const expected = 'a method or a function: fields, accessors and classes are not limited'
    throw sluiceError('SLUICE_OPTION_INVALID', 'decorator', 'method', method, expected)
  }

  return decorate
}

function isFunction<F extends AnyFunction>(value: F | object | undefined): value is F {
  return typeof value === 'function'
}

function inPlaceOf<F extends AnyFunction>(method: F, wrapper: F): F {
  for (const name of ['name', 'length'] as const) {
    Object.defineProperty(wrapper, name, { value: method[name], configurable: true })
  }
  Object.setPrototypeOf(wrapper, method)
  return wrapper
}
