import type { Keys } from '../../limiter/arguments.js'
import { sluiceError } from '../../errors.js'
import { isList } from '../../options/predicates.js'
import { isNotLimited, joinKey, type Key, type NotLimited } from '../../keys.js'
import { after, together } from '../../awaitable.js'
import { isByIp } from './by-ip.js'
import { createKeyChecks } from './found-key.js'
import { foundBy, type KeyFunction } from './key-functions.js'
import type { RequestView } from '../request/view.js'

/** One key, or a function that finds it. Each part of a list may be a function as well: `[byIp(), byRoute()]`. */
export type KeySource<R> = string | KeyFunction<R> | readonly KeyPart<R>[]

/**
 * A part of a key, or a function that finds it: one string or one whole number. The functions of this package may return several parts, as `byRoute`
 * does, which are then inserted into the list. A list that any other function returns is an error (status 400).
 */
export type KeyPart<R> = string | number | KeyFunction<R, Key | number>

/** A key for all policies, or a record from policy name (`N`) to key. `notLimited` leaves that policy out. */
// A mapped type: through `Readonly<Record<N, …>>`, `byUser` does not infer the type of its request.
export type KeyOption<R, N extends string = string> =
  | KeySource<R>
  | { readonly [P in N]: KeySource<R> | NotLimited }

type KeyReader<R> = (request: R, view: RequestView<R>) => Keys | Promise<Keys>
type SourceReader<R> = (
  request: R,
  view: RequestView<R>,
) => Key | NotLimited | Promise<Key | NotLimited>

/**
 * Makes the function that finds the key of a request from the option `key`.
 *
 * @throws SluiceError SLUICE_OPTION_INVALID if a constant part of the option is not a key
 */
export function keyReader<R>(limiter: string, option: KeyOption<R>): KeyReader<R> {
  if (isSource(option)) return sourceReader(limiter, option)
  const readers = Object.entries(option).map(
    ([name, source]) => [name, policyReader(limiter, source, name)] as const,
  )
  return (request, view) =>
    after(
      together(readers, ([, read]) => read(request, view)),
      (keys) =>
        // Not by assignment, which would set the prototype for the name `__proto__`.
        Object.fromEntries(keys.map((key, i) => [readers[i][0], key])),
    )
}

/** The option with a placeholder for each function, so that the form and the policy names of its keys can be checked before the first request. */
export function placeholderKey<R>(option: KeyOption<R>): Keys {
  if (isSource(option)) return placeholderOf(option)
  return Object.fromEntries(
    Object.entries(option).map(([name, source]) => [
      name,
      isNotLimited(source) ? source : placeholderOf(source),
    ]),
  )
}

function placeholderOf<R>(source: KeySource<R>): Key {
  if (typeof source === 'function') return placeholder
  if (typeof source === 'string') return source
  return source.map((part) => (typeof part === 'function' ? placeholder : part))
}

const placeholder = 'x'

function policyReader<R>(
  limiter: string,
  source: KeySource<R> | NotLimited,
  policy: string,
): SourceReader<R> {
  return isNotLimited(source) ? () => source : sourceReader(limiter, source, policy)
}

function sourceReader<R>(limiter: string, source: KeySource<R>, policy?: string): SourceReader<R> {
  // `byIp` always returns a key, which needs no checks.
  if (isByIp(source)) return source
  const checks = createKeyChecks(limiter, policy)
  if (typeof source === 'function') {
    return (_request, view) => after(foundBy(source, view), (found) => checks.key(found, view))
  }
  if (!isSource(source) || joinKey(placeholderOf(source)) === undefined) {
    throw sluiceError('SLUICE_OPTION_INVALID', 'rateLimit', 'key', source, expected)
  }
  if (typeof source === 'string' || source.every((part) => typeof part !== 'function')) {
    const constant = placeholderOf(source)
    return () => constant
  }
  return (_request, view) =>
    after(
      together(source, (part) => (typeof part === 'function' ? foundBy(part, view) : part)),
      checks.parts,
    )
}

const expected =
  'a non-empty string, a list of parts (non-empty strings, whole numbers, functions that return one), a function that returns a key, ' +
  'or for each policy one of these or "notLimited"'

function isSource<R>(option: KeyOption<R>): option is KeySource<R> {
  return typeof option === 'function' || typeof option === 'string' || isList<unknown>(option)
}
