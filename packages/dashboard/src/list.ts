/** `Array.isArray` makes a list of `any` of an unknown value. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}
