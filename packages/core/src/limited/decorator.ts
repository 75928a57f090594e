import { sluiceError } from '../errors.js'
import { isFunction } from '../options/predicates.js'

/** A function or a method, with any parameters. */
export type AnyFunction = (this: never, ...args: never[]) => unknown

/** A decorator for methods that take the parameters of `F`, or fewer: a standard (ECMAScript) one, and one of `experimentalDecorators`. */
export interface MethodDecorator<F extends AnyFunction> {
  <M extends F>(method: M, context: MethodContext): M
  <M extends F>(
    target: object,
    name: string | symbol,
    descriptor: TypedPropertyDescriptor<M>,
  ): TypedPropertyDescriptor<M>
}

/** The whole type of a context fits no method that declares its `this`. */
type MethodContext = Pick<ClassMethodDecoratorContext, 'kind'>

/**
 * Creates a decorator of a function that wraps methods. Called with a function alone, the decorator wraps that function. A wrapped method keeps its name and
 * its length, and inherits the properties of the method, such as routes and metadata, in any order of the decorators.
 *
 * @throws SluiceError if it decorates anything else: a getter that is silently ignored would have no limit
 */
export function methodDecorator<F extends AnyFunction>(wrap: (method: F) => F): MethodDecorator<F> {
  function decorate<M extends F>(method: M, context?: MethodContext): M
  function decorate<M extends F>(
    target: object,
    name: string | symbol,
    descriptor: TypedPropertyDescriptor<M>,
  ): TypedPropertyDescriptor<M>
  function decorate(
    methodOrTarget: F | object,
    contextOrName?: MethodContext | string | symbol,
    descriptor?: TypedPropertyDescriptor<F>,
  ): unknown {
    if (typeof contextOrName === 'string' || typeof contextOrName === 'symbol') {
      return { ...descriptor, value: wrapped(descriptor?.value) }
    }
    const isMethod = contextOrName === undefined || contextOrName.kind === 'method'
    return wrapped(isMethod ? methodOrTarget : undefined)
  }

  function wrapped(method: F | object | undefined): F {
    if (!isMethod<F>(method)) {
      const expected = 'a method or a function: fields, accessors and classes are not limited'
      throw sluiceError('SLUICE_OPTION_INVALID', 'decorator', 'method', method, expected)
    }
    const wrapper = wrap(method)
    for (const name of ['name', 'length'] as const) {
      Object.defineProperty(wrapper, name, { value: method[name], configurable: true })
    }
    Object.setPrototypeOf(wrapper, method)
    return wrapper
  }

  return decorate
}

function isMethod<F extends AnyFunction>(value: F | object | undefined): value is F {
  return isFunction(value)
}
