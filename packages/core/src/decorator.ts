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

/** Makes a decorator of a function that wraps methods. */
export function methodDecorator<F extends AnyFunction>(wrap: (method: F) => F): MethodDecorator<F> {
  function decorate(
    methodOrTarget: F,
    _context: unknown,
    descriptor?: TypedPropertyDescriptor<F>,
  ): F | TypedPropertyDescriptor<F> {
    if (descriptor === undefined) return wrap(methodOrTarget)
    return descriptor.value === undefined
      ? descriptor
      : { ...descriptor, value: wrap(descriptor.value) }
  }
  // The two forms of call cannot be told from one signature, nor that a wrapped method has the type that it had before.
  return decorate as unknown as MethodDecorator<F>
}
