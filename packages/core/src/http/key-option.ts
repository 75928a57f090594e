import type { Keys } from '../entries.js'
import { sluiceError } from '../errors.js'
import type { Key, KeyPartValue } from '../keys.js'
import { after, together, type Awaitable } from './awaitable.js'
import type { RequestView } from './request-view.js'

/**
 * Finds who is asking. The second argument is what the adapter tells of the request, the same in every framework. Null asks no policy:
 * the request is not limited. Undefined is an error, never a free pass.
 */
export type KeyFunction<R, K = Keys> = (request: R, view: RequestView<R>) => Awaitable<K | null>

/** One key, or how to find it. Of a list, each part may be found by a function: `[byIp(), byRoute()]`. */
export type KeySource<R> = string | KeyFunction<R, Key> | readonly KeyPart<R>[]

export type KeyPart<R> = string | KeyFunction<R, KeyPartValue>

/** A key for all policies, or one for each of them by its name, where null leaves that policy out. */
export type KeyOption<R> =
  | KeySource<R>
  | KeyFunction<R>
  | Readonly<Record<string, KeySource<R> | null>>

/** Makes the function that finds the key of a request by the option `key`. */
export function keyReader<R>(
  option: KeyOption<R>,
): (view: RequestView<R>) => Awaitable<Keys | null> {
  if (typeof option === 'function') return (view) => option(view.raw, view)
  if (typeof option === 'string' || isList(option)) return sourceReader(option)
  const readers = Object.entries(option).map(
    ([name, source]) => [name, source === null ? noKey : sourceReader(source)] as const,
  )
  return (view) =>
    after(
      together(readers, ([, read]) => read(view)),
      (keys) =>
        // By entries: to assign to a name such as `__proto__` would set a prototype.
        Object.fromEntries(keys.map((key, i) => [readers[i][0], key])),
    )
}

/** A key that differs from those of requests only in what functions find: its form and its names can be looked at before the first. */
export function sampleKey<R>(option: KeyOption<R>): Keys {
  if (typeof option === 'function' || typeof option === 'string' || isList(option)) {
    return sampleOf(option)
  }
  return Object.fromEntries(
    Object.entries(option).map(([name, source]) => [name, source && sampleOf(source)]),
  )
}

function sampleOf<R>(source: KeySource<R> | KeyFunction<R>): Key {
  if (typeof source === 'function') return sample
  if (typeof source === 'string') return source
  return source.map((part) => (typeof part === 'function' ? sample : part))
}

const sample = 'x'

function sourceReader<R>(source: KeySource<R>): (view: RequestView<R>) => Awaitable<Key | null> {
  if (typeof source === 'function') return (view) => source(view.raw, view)
  if (typeof source === 'string') return () => source
  if (!isList(source)) {
    const expected = 'a non-empty string, a list of such parts, a function, or null for each policy'
    throw sluiceError('SLUICE_OPTION_INVALID', 'rateLimit', 'key', source, expected)
  }
  const constant = source.filter((part) => typeof part === 'string')
  if (constant.length === source.length) return () => constant
  return (view) =>
    after(
      together(source, (part) => partOf(part, view)),
      whole,
    )
}

function partOf<R>(part: KeyPart<R>, view: RequestView<R>): Awaitable<KeyPartValue | null> {
  return typeof part === 'function' ? part(view.raw, view) : part
}

function whole(parts: readonly (KeyPartValue | null)[]): Key | null {
  const there = parts.filter((part) => part !== null)
  return there.length === parts.length ? there : null
}

function noKey(): null {
  return null
}

// Array.isArray does not narrow a readonly list.
function isList<R>(option: KeyOption<R>): option is readonly KeyPart<R>[] {
  return Array.isArray(option)
}
