import type { Keys } from '../../limiter/bound-policies.js'
import { sluiceError } from '../../errors.js'
import { isList } from '../../options/predicates.js'
import { isNotLimited, joinKey, type Key, type NotLimited } from '../../keys.js'
import { after, together } from '../awaitable.js'
import { createKeyChecks } from './found-key.js'
import { foundBy, type KeyFunction } from './key-function.js'
import type { RequestView } from '../request/request-view.js'

/** One key, or how to find it. Each part of a list may be found by a function: `[byIp(), byRoute()]`. */
export type KeySource<R> = string | KeyFunction<R> | readonly KeyPart<R>[]

/**
 * A part of a key, or a function that finds it: one string or one whole number. The functions of this package may give several parts, as
 * `byRoute` does: they then stand in the list one after the other. A list that any other function returns is an error (status 400).
 */
export type KeyPart<R> = string | number | KeyFunction<R, Key | number>

/** A key for all policies, or a key for each policy by its name (`N`), where `notLimited` leaves that policy out. */
export type KeyOption<R, N extends string = string> =
  | KeySource<R>
  | Readonly<Record<N, KeySource<R> | NotLimited>>

type KeyReader<R> = (view: RequestView<R>) => Keys | Promise<Keys>
type SourceReader<R> = (view: RequestView<R>) => Key | NotLimited | Promise<Key | NotLimited>

/**
 * Makes the function that finds the key of a request by the option `key`.
 *
 * @throws SluiceError at once SLUICE_OPTION_INVALID if what needs no request is no key
 */
export function keyReader<R>(limiter: string, option: KeyOption<R>): KeyReader<R> {
  if (isSource(option)) return sourceReader(limiter, option)
  const readers = Object.entries(option).map(
    ([name, source]) => [name, policyReader(limiter, source, name)] as const,
  )
  return (view) =>
    after(
      together(readers, ([, read]) => read(view)),
      (keys) =>
        // By entries: to assign to a name such as `__proto__` would set a prototype.
        Object.fromEntries(keys.map((key, i) => [readers[i][0], key])),
    )
}

/** A key that differs from those of requests only in what functions find: its form and its names can be checked before the first request. */
export function sampleKey<R>(option: KeyOption<R>): Keys {
  if (isSource(option)) return sampleOf(option)
  return Object.fromEntries(
    Object.entries(option).map(([name, source]) => [
      name,
      isNotLimited(source) ? source : sampleOf(source),
    ]),
  )
}

function sampleOf<R>(source: KeySource<R>): Key {
  if (typeof source === 'function') return sample
  if (typeof source === 'string') return source
  return source.map((part) => (typeof part === 'function' ? sample : part))
}

const sample = 'x'

function policyReader<R>(
  limiter: string,
  source: KeySource<R> | NotLimited,
  policy: string,
): SourceReader<R> {
  return isNotLimited(source) ? () => source : sourceReader(limiter, source, policy)
}

function sourceReader<R>(limiter: string, source: KeySource<R>, policy?: string): SourceReader<R> {
  const checks = createKeyChecks(limiter, policy)
  if (typeof source === 'function') {
    return (view) => after(foundBy(source, view), (found) => checks.key(found, view))
  }
  if (!isSource(source) || joinKey(sampleOf(source)) === undefined) {
    throw sluiceError('SLUICE_OPTION_INVALID', 'rateLimit', 'key', source, expected)
  }
  if (typeof source === 'string' || source.every((part) => typeof part !== 'function')) {
    const constant = sampleOf(source)
    return () => constant
  }
  return (view) =>
    after(
      together(source, (part) => (typeof part === 'function' ? foundBy(part, view) : part)),
      checks.parts,
    )
}

const expected =
  'a non-empty string, a list of parts (non-empty strings, whole numbers, functions that give one), a function that gives a key, ' +
  'or for each policy one of these or "notLimited"'

function isSource<R>(option: KeyOption<R>): option is KeySource<R> {
  return typeof option === 'function' || typeof option === 'string' || isList<unknown>(option)
}
