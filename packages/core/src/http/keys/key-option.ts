import { sluiceError, type SluiceError } from '../../errors.js'
import {
  isKeyPart,
  isNotLimited,
  joinKey,
  keyError,
  type Key,
  type KeyPartValue,
  type NotLimited,
} from '../../keys.js'
import type { Keys } from '../../limiter/arguments.js'
import { isList } from '../../options/predicates.js'
import { watchKeys } from '../request/mistakes.js'
import type { RequestView } from '../request/view.js'
import { isByIp } from './by-ip.js'
import { foundBy, isCoded, type KeyFunction } from './key-functions.js'
import { isSent } from './sent-lists.js'

/** One key, or a function that finds it. Each part of a list may be a function as well: `[byIp(), byRoute()]`. */
export type KeySource<R> = string | KeyFunction<R> | readonly KeyPart<R>[]

/**
 * A part of a key, or a function that finds it: one string or one whole number. The functions of this package may return several parts, as `byRoute`
 * does, which are then inserted into the list. A list that any other function returns is an error (status 400).
 */
export type KeyPart<R> = KeyPartValue | KeyFunction<R, Key | KeyPartValue>

/** A key for all policies, or a record from policy name (`N`) to key. `notLimited` leaves that policy out. */
// A mapped type: through `Readonly<Record<N, …>>`, `byUser` does not infer the type of its request.
export type KeyOption<R, N extends string = string> =
  | KeySource<R>
  | { readonly [P in N]: KeySource<R> | NotLimited }

export type KeyReader<R> = (request: R, view: RequestView<R>) => Keys | Promise<Keys>
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
  const readers = Object.entries(option).map(([policy, source]) => {
    const read = isNotLimited(source) ? () => source : sourceReader(limiter, source, policy)
    return [policy, read] as const
  })
  return async (request, view) => {
    const keys = readers.map(async ([policy, read]) => [policy, await read(request, view)] as const)
    return Object.fromEntries(await Promise.all(keys))
  }
}

/** The option with a placeholder for each function, so that the form and the policy names of its keys can be checked before the first request. */
export function placeholderKey<R>(option: KeyOption<R>): Keys {
  if (isSource(option)) return placeholderOf(option)
  const keys = Object.entries(option).map(([name, source]) => {
    return [name, isNotLimited(source) ? source : placeholderOf(source)] as const
  })
  return Object.fromEntries(keys)
}

function placeholderOf<R>(source: KeySource<R>): Key {
  if (typeof source === 'function') return placeholder
  if (typeof source === 'string') return source
  return source.map((part) => (typeof part === 'function' ? placeholder : part))
}

const placeholder = 'x'

/** @param policy the name of the policy, if each policy has its own key */
function sourceReader<R>(limiter: string, source: KeySource<R>, policy?: string): SourceReader<R> {
  if (isByIp(source)) return source
  const watch = watchKeys()

  function invalid(value: unknown, part?: number, advice?: string): SluiceError {
    return keyError(`limiter "${limiter}"`, value, { part, policy, advice })
  }

  /** The key that a function has found. The limiter checks the parts of a list, and names the wrong one. */
  function keyFound(found: unknown, view: RequestView<R>): Key | NotLimited {
    if (isNotLimited(found) || isCoded(found)) return found
    if (typeof found !== 'string' && !isKeyList(found)) {
      throw invalid(found, undefined, typeof found === 'object' ? recordAdvice : undefined)
    }
    if (typeof found === 'string') watch(found)
    else if (isSent(found, view.sent ?? [])) throw invalid(found, undefined, sentAdvice)
    else found.forEach(watch)
    return found
  }

  function keyOfParts(found: readonly unknown[]): Key | NotLimited {
    const parts: KeyPartValue[] = []
    for (const [i, value] of found.entries()) {
      if (isNotLimited(value)) return value
      if (isCoded(value)) parts.push(...value)
      else if (isKeyPart(value)) parts.push(value)
      else throw invalid(value, i + 1)
      watch(value)
    }
    return parts
  }

  if (typeof source === 'function') {
    return async (_request, view) => keyFound(await foundBy(source, view), view)
  }
  if (!isSource(source) || joinKey(placeholderOf(source)) === undefined) {
    throw sluiceError('SLUICE_OPTION_INVALID', 'rateLimit', 'key', source, expected)
  }
  if (typeof source === 'string' || source.every((part) => typeof part !== 'function')) {
    const constant = placeholderOf(source)
    return () => constant
  }
  return async (_request, view) => {
    const parts = source.map(async (part) =>
      typeof part === 'function' ? foundBy(part, view) : part,
    )
    return keyOfParts(await Promise.all(parts))
  }
}

const expected =
  'a non-empty string, a list of parts (non-empty strings, whole numbers, functions that return one), a function that returns a key, ' +
  'or for each policy one of these or "notLimited"'

const sentAdvice =
  'The client sent this list, and could choose the number of parts of the key. Pass a value that a client sends as one part of a list: ' +
  "key: ['name', (req) => req.body.name]"

const recordAdvice =
  'A key function returns one key. Pass keys for several policies as the option itself: key: { user: byUser(…), address: byIp() }'

const isKeyList = (found: unknown): found is readonly KeyPartValue[] => isList(found)

function isSource<R>(option: KeyOption<R>): option is KeySource<R> {
  return typeof option === 'function' || typeof option === 'string' || isList<unknown>(option)
}
