import { sluiceError, type SluiceError } from '../../errors.js'
import {
  isKeyPart,
  isNotLimited,
  type Key,
  type KeyPartValue,
  type NotLimited,
} from '../../keys.js'
import { isList } from '../../options/predicates.js'
import { isCoded } from './key-functions.js'
import { watchKeys } from '../request/mistakes.js'
import type { RequestView } from '../request/view.js'

/** Checks the return values of the key functions of one limiter, or of one of its policies. */
export interface KeyChecks {
  /** @throws SluiceError SLUICE_KEY_INVALID if the value is not a key, or is a list that the client has sent */
  key(found: unknown, view: RequestView<unknown>): Key | NotLimited
  /** @throws SluiceError SLUICE_KEY_INVALID if one of the values is not a part of a key */
  parts(found: readonly unknown[]): Key | NotLimited
}

/** @param policy the name of the policy, if each policy has its own key */
export function createKeyChecks(limiter: string, policy?: string): KeyChecks {
  const watch = watchKeys()

  function invalid(value: unknown, part?: number, advice?: string): SluiceError {
    return sluiceError('SLUICE_KEY_INVALID', `limiter "${limiter}"`, value, {
      part,
      policy,
      advice,
    })
  }

  return {
    key(found, view) {
      if (isNotLimited(found) || isCoded(found)) return found
      if (typeof found === 'string') {
        watch(found)
        return found
      }
      if (isKeyList(found)) {
        if (isSent(found, view.sent ?? [])) throw invalid(found, undefined, sentAdvice)
        for (const part of found) watch(part)
        return found
      }
      throw invalid(found, undefined, typeof found === 'object' ? recordAdvice : undefined)
    },

    parts(found) {
      const parts: KeyPartValue[] = []
      for (const [i, value] of found.entries()) {
        if (isNotLimited(value)) return value
        if (isCoded(value)) parts.push(...value)
        else if (isKeyPart(value)) parts.push(value)
        else throw invalid(value, i + 1)
        watch(value)
      }
      return parts
    },
  }
}

const sentAdvice =
  'The client sent this list, and could choose the number of parts of the key. Pass a value that a client sends as one part of a list: ' +
  "key: ['name', (req) => req.body.name]"

const recordAdvice =
  'A key function returns one key. Pass keys for several policies as the option itself: key: { user: byUser(…), address: byIp() }'

// The limiter checks the parts, and names the wrong one.
function isKeyList(found: unknown): found is readonly KeyPartValue[] {
  return isList(found)
}

/**
 * Whether the client sent this list, in the body, the query, the route's parameters or a cookie. A list that a key function builds,
 * `(req) => ['name', req.body.name]`, looks like one that it takes from the request, `(req) => req.body.name`. With the latter, a client could send
 * `["ann", "x"]` and have a new count for each `x`. Lists are compared by their parts and not by identity, because Express parses the query on each
 * access, and applications copy the values that they validate.
 */
export function isSent(list: readonly unknown[], sent: readonly unknown[]): boolean {
  const left: object[] = []
  // Guards against cycles, which an application may have added. Objects without children, most of a body, need no guard.
  const seen = new Set<object>()
  for (let value: object | undefined = sent; value !== undefined; value = left.pop()) {
    if (isList(value) && areSame(value, list)) return true
    const before = left.length
    for (const each of isList(value) ? value : Object.values(value)) {
      if (isParsed(each)) left.push(each)
    }
    if (left.length === before) continue
    if (seen.has(value)) left.length = before
    else seen.add(value)
  }
  return false
}

/**
 * Only lists and plain objects are searched: a Buffer or a stream contains no list. Objects of another realm are plain as well, and so are objects with an
 * empty prototype, which Fastify's query parser makes.
 */
function isParsed(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  if (isList(value)) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function areSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((part, i) => part === other[i])
}
