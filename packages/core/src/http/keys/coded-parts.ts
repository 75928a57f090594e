import type { KeyPartValue } from '../../keys.js'
import { isList } from '../../options/predicates.js'

// From the global symbol registry, so that two copies of this package share the mark. JSON cannot contain it.
const coded: unique symbol = Symbol.for('@sluice/core: parts put together by code')

/**
 * Makes a key of several parts with a mark that it comes from code. Within a list such as `[byIp(), byRoute()]`, a function may return several parts only
 * with this mark: a list without it may come from the client, which could then choose the number of parts of the key.
 */
export function codedParts(...parts: string[]): readonly string[] {
  return Object.defineProperty(parts, coded, { value: true })
}

export function isCoded(value: unknown): value is readonly KeyPartValue[] {
  return isList(value) && coded in value
}
