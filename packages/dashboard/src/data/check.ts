import { isCount, isList, isRecord } from '@sluice/core/internal'

/** Returns the value as what it was written, or throws. */
export type Check<T> = (value: unknown) => T

export function checkOf<T>(is: (value: unknown) => value is T): Check<T> {
  return function check(value) {
    if (is(value)) return value
    throw new TypeError('this is no snapshot')
  }
}

export const count: Check<number> = checkOf(isCount)
export const string: Check<string> = checkOf((value) => typeof value === 'string')
export const number: Check<number> = checkOf((value) => typeof value === 'number')
export const boolean: Check<boolean> = checkOf((value) => typeof value === 'boolean')
export const entries: Check<readonly unknown[]> = checkOf(isList)

export function oneOf<T extends string>(...known: readonly T[]): Check<T> {
  return checkOf((value): value is T => known.some((one) => one === value))
}

export function absentOr<T>(check: Check<T>): Check<T | undefined> {
  return (value) => (value === undefined || value === null ? undefined : check(value))
}

export function nullOr<T>(check: Check<T>): Check<T | null> {
  return (value) => (value === null ? null : check(value))
}

/** The entries that can be read. */
export function list<T>(check: Check<T>): Check<readonly T[]> {
  return function readable(value) {
    return entries(value).flatMap((one) => {
      try {
        return [check(one)]
      } catch {
        return []
      }
    })
  }
}

/** The members that are known. */
export function record<T extends object>(checks: {
  readonly [K in keyof T]-?: Check<T[K]>
}): Check<T> {
  return function members(value) {
    const given = checkOf(isRecord)(value)
    const read = Object.entries<Check<unknown>>(checks).map(([name, check]) => [
      name,
      check(given[name]),
    ])
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each member is checked
    return Object.fromEntries(read.filter(([, one]) => one !== undefined)) as T
  }
}
