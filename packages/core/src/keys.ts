import { sha256Of, utf8 } from './digests.js'
import { brand, isBranded, sluiceError, type SluiceError } from './errors.js'
import type { WrongKey } from './errors/limiter.js'
import { isList, isRecord } from './options/predicates.js'

/**
 * A key: a non-empty string, or a list of parts that belong together, such as `['user', 42]`. Two different lists are never the same key, and
 * a list of one part is the same key as that part.
 */
export type Key = string | readonly KeyPartValue[]

/**
 * A part of a key: a non-empty string, a whole number from -(2^53 - 1) to 2^53 - 1, or a bigint. A number is the same part as its decimal text, so that a
 * client cannot have two counts by sending `42` and `"42"`. Fractions and larger numbers are refused: JavaScript rounds them, and two ids would
 * become one.
 */
export type KeyPartValue = string | number | bigint

/**
 * Excludes a policy if it is passed instead of a key: the policy neither counts the request nor denies it. It is a symbol because JSON cannot
 * contain one: a client that chooses its key must not be able to avoid the limit.
 *
 * @example
 * const ofUser = req.user === undefined ? notLimited : ['user', req.user.id]
 * await limiter.consume({ user: ofUser, address: req.ip })
 */
// In the registry of symbols, so that two copies of this package have the same one.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a `unique symbol` needs none, but is widened to `symbol` in each variable
export const notLimited: NotLimited = Symbol.for('@sluice/core: notLimited') as NotLimited

/** The type of `notLimited`. */
export type NotLimited = symbol & { readonly notLimited: true }

/** Whether a value is `notLimited`. */
export function isNotLimited(value: unknown): value is NotLimited {
  return value === notLimited
}

/** A longer key is replaced by its hash, so that a client that chooses its key cannot choose the amount of memory. */
const longestKey = 256

/**
 * Makes one string of a key. A plain string is kept as it is, unless it begins like one of the other forms. A list begins with `|`, and so does
 * each of its parts; separators and escapes within a part are escaped. A key longer than 256 characters becomes `%#` and its SHA-256. So two
 * different keys never give the same string. Undefined if the value is not a key.
 */
export function joinKey(key: unknown): string | undefined {
  if (key === '') return undefined
  let joined: string | undefined
  if (typeof key === 'string') joined = key[0] === '|' || key[0] === '%' ? `%${key}` : key
  else joined = joinParts(key) ?? (isCountedKey(key) ? key.toString() : undefined)
  return joined !== undefined && joined.length > longestKey ? `%#${hashOf(joined)}` : joined
}

/** The owner of leases as stores know it: a longer one is replaced by its hash, as a key is. */
export function ownerText(owner: string): string {
  const isShort = owner.length <= longestKey && !owner.startsWith('%#')
  return isShort ? owner : `%#${hashOf(owner)}`
}

/** Whether a value can be a part of a key. */
export function isKeyPart(value: unknown): value is KeyPartValue {
  if (typeof value === 'string') return value !== ''
  return typeof value === 'bigint' || Number.isSafeInteger(value)
}

/** Whether a value is an instance of a class, such as the id of an ODM. As a key it is a mistake of the application, because no JSON contains one. */
export function isInstance(value: unknown): value is object {
  if (!isRecord(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // A plain object of another realm has a prototype without a prototype, too.
  return prototype !== null && Object.getPrototypeOf(prototype) !== null
}

/** The error for a value that is neither a key nor a part of one. */
export function keyError(where: string, value: unknown, details: WrongKey): SluiceError {
  return isInstance(value)
    ? sluiceError('SLUICE_KEY_OBJECT', where, value, details)
    : sluiceError('SLUICE_KEY_INVALID', where, value, details)
}

/** The position of the first value in a list that cannot be a part of a key, counted from 1. Undefined if there is none. */
export function wrongPart(key: unknown): number | undefined {
  const index = isList(key) ? key.findIndex((part) => !isKeyPart(part)) : -1
  return index === -1 ? undefined : index + 1
}

const countedKeyBrand = Symbol.for('@sluice/core:CountedKey')

/**
 * A key in the form in which it is counted, as the events and the names of Redis keys contain it. It has a property under a symbol, which JSON cannot contain: a
 * client that chooses a key must not be able to choose the form.
 */
export class CountedKey {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
    brand(this, countedKeyBrand)
  }

  toString(): string {
    return this.#text
  }
}

/** True for the counted keys of every copy of this package that the application contains. */
export function isCountedKey(value: unknown): value is CountedKey {
  return isBranded(value, countedKeyBrand)
}

/** A plain string, an escaped one, a list of at least two parts, or a hash. */
const countedForm = /^(?:[^%|][^]*|%[%|][^]*|(?:\|(?:[^%|]|%25|%7C)+){2,}|%#[\da-f]{64})$/

/**
 * Returns the key that is counted in this form, for the methods of a limiter.
 *
 * @example
 * subscribe('sluice:denial', ({ keys }) => limiter.block(countedKey(keys.default), '10m'))
 * @param text a key as events contain it
 * @throws SluiceError SLUICE_OPTION_INVALID if no key is counted in this form
 */
export function countedKey(text: string): CountedKey {
  if (typeof text === 'string' && text.length <= longestKey && countedForm.test(text)) {
    return new CountedKey(text)
  }
  const expected = 'a key as the events of sluice:decision contain it'
  throw sluiceError('SLUICE_OPTION_INVALID', 'countedKey', 'text', text, expected)
}

function joinParts(list: unknown): string | undefined {
  if (!isList(list) || list.length === 0) return undefined
  if (list.length === 1) return isKeyPart(list[0]) ? joinKey(`${list[0]}`) : undefined
  let joined = ''
  for (const part of list) {
    if (!isKeyPart(part)) return undefined
    joined += `|${typeof part === 'string' ? part.replace(/[%|]/g, percent) : part}`
  }
  return joined
}

/**
 * Makes the function that names the states of one limiter in Redis. The braces are a hash tag, so that a Cluster keeps all states of one key in one slot.
 * The prefix, the name and the key are escaped, so that none of them contains a brace or a separator. A lone surrogate is escaped as well: it has no UTF-8
 * form, so a client would send U+FFFD for each of them, and different keys would share one state. So is U+0000, which a text of PostgreSQL cannot contain.
 */
export function redisKeys(prefix: string, name: string): (key: string) => string {
  const start = startOf(prefix, name)
  return (key) => `${start}${key.replace(/[%{}\0\p{Surrogate}]/gu, percent)}}`
}

/** The key that a name of `redisKeys` belongs to; undefined for any other name, such as that of a log. */
export function keyOfRedisKey(prefix: string, name: string, redisName: string): string | undefined {
  const start = startOf(prefix, name)
  if (!redisName.startsWith(start) || !redisName.endsWith('}')) return undefined
  const tag = redisName.slice(start.length, -1)
  if (tag === '' || /[{}]/.test(tag)) return undefined
  return tag.replace(/%(25|7B|7D|D[89A-F][\dA-F]{2}|0)/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
}

/**
 * The layout of the states in Redis and in databases. A new layout gets the next number: during a rolling deploy each version of the application has states
 * of its own, because neither could read those of the other.
 */
const layout = 1

/** The beginning of the names of the states of one limiter. */
export function startOf(prefix: string, name: string): string {
  return `${escapeName(prefix)}:${escapeName(name)}:${layout}{`
}

/** A longer key of a row is replaced by its hash: DynamoDB and the indexes of PostgreSQL and MySQL refuse a key of a few thousand bytes. */
const longestRowKey = 1000

/** Makes the function that names the rows of one limiter in a database: as in Redis, but with at most 1,000 bytes. */
export function rowKeys(prefix: string, name: string): (key: string) => string {
  const nameOf = redisKeys(prefix, name)
  return function rowKey(key) {
    const long = nameOf(key)
    return utf8(long).length > longestRowKey ? `%#${sha256Of(long)}` : long
  }
}

/** The name of a Redis key that contains a part of the records of a policy, such as its log or leases. */
export function recordKey(stateKey: string, policy: string, number: number): string {
  return `${stateKey}:${escapeName(policy)}:${number}`
}

function hashOf(text: string): string {
  // UTF-8 has no form for a lone surrogate: without an escape, all of them would be one.
  return sha256Of(text.replace(/[%\p{Surrogate}]/gu, percent))
}

/** The name of a policy in a state. The name 'default' takes no bytes. */
export function stateName(name: string): string {
  return name === 'default' ? '' : escapeName(name)
}

/** Escapes a name for Redis. Different names have different escaped forms. */
function escapeName(name: string): string {
  return name.replace(/[%:{}\0\p{Surrogate}]/gu, percent)
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
