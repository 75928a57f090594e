/** Reads a part of a JSON text from outside, and checks its type. */
export type Reader<T> = (value: unknown, path: string) => T

/** The members of an object. Other members are ignored, so that a later version can add some. */
export function record<T extends object>(readers: {
  readonly [N in keyof T]: Reader<T[N]>
}): Reader<T>
export function record(readers: Readonly<Record<string, Reader<unknown>>>): Reader<unknown> {
  return function readRecord(value, path) {
    if (typeof value !== 'object' || value === null) throw wrong(path, 'an object')
    return Object.fromEntries(
      Object.entries(readers).map(([name, read]) => [
        name,
        read(Reflect.get(value, name), path === '' ? name : `${path}.${name}`),
      ]),
    )
  }
}

export function list<T>(read: Reader<T>): Reader<readonly T[]> {
  return function readList(value, path) {
    if (!Array.isArray(value)) throw wrong(path, 'a list')
    return value.map((item, i) => read(item, `${path}[${i}]`))
  }
}

export function absentOr<T>(read: Reader<T>): Reader<T | undefined> {
  return (value, path) => (value === undefined ? undefined : read(value, path))
}

export function nullOr<T>(read: Reader<T>): Reader<T | null> {
  return (value, path) => (value === null ? null : read(value, path))
}

export const text: Reader<string> = (value, path) => {
  if (typeof value === 'string') return value
  throw wrong(path, 'a text')
}

export const number: Reader<number> = (value, path) => {
  if (typeof value === 'number') return value
  throw wrong(path, 'a number')
}

export const boolean: Reader<boolean> = (value, path) => {
  if (typeof value === 'boolean') return value
  throw wrong(path, 'true or false')
}

function wrong(path: string, expected: string): Error {
  return new TypeError(`${path === '' ? 'the answer' : path} is not ${expected}`)
}
