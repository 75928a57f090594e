import type { KeyPartValue } from '../../keys.js'
import { isList } from '../../options/predicates.js'

// In the registry of symbols, so that two copies of this package understand each other. No JSON can contain it.
const coded: unique symbol = Symbol.for('@sluice/core: parts put together by code')

/**
 * Makes a key of several parts, marked as put together by code. Within a list such as `[byIp(), byRoute()]` a function may return several parts
 * only with this mark: a list without it may come from the client, and would change how many parts the key has.
 */
export function codedParts(...parts: string[]): readonly string[] {
  return Object.defineProperty(parts, coded, { value: true })
}

/** Whether a value is a list with the mark. */
export function isCoded(value: unknown): value is readonly KeyPartValue[] {
  return isList(value) && coded in value
}
