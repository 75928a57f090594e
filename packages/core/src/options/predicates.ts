/** A string that is not empty. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

/** A function, with any parameters. */
export function isFunction(value: unknown): value is (...args: never[]) => unknown {
  return typeof value === 'function'
}

/** An object or a function that has this method. */
export function hasMethod<N extends string>(
  value: unknown,
  name: N,
): value is { readonly [K in N]: (...args: never[]) => unknown } {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  return isFunction(Reflect.get(value, name))
}

/** A whole number from 0 to 2^53 - 1. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/** `Array.isArray` does not narrow a readonly list. */
export function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value)
}

/** An object that is neither a list nor a function. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A date, a wrapped number or an instance of a class is a mistake, and no record without names. */
export function isPlainRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  const isPlain = prototype === Object.prototype || prototype === null
  return isPlain && Object.getOwnPropertySymbols(value).length === 0
}
