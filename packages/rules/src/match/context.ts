import { isPromise } from '@sluice/core/internal'
import type { Facts } from '../facts.js'
import type { PathMatch } from './paths/path-match.js'
import type { Patterns } from './paths/patterns.js'
import { Query } from './paths/query.js'
import { routesOf, type Routes } from './paths/routes.js'

/**
 * A value of a request: a text, a number, true or false. Undefined if the request does not have it. Several texts if the request can mean each of them, or
 * if the client sent several; '' among them means that it can also be absent.
 */
export type Value = string | number | boolean | readonly string[] | typeof anything | undefined

/** The value of a field that can be any text, as far as rules can know. */
export const anything: unique symbol = Symbol('anything')

/** All values of a field that has not exactly one. */
export type Several = readonly string[] | typeof anything

/** Something that a request has, and where its value is kept during a judgement. */
export interface Field {
  /** As documents write it. */
  readonly name: string
  readonly slot: number
  readonly type: FieldType
  /** The values that are possible, if the document lists them. */
  readonly oneOf: readonly (string | number)[] | undefined
  /** Whether it is a value of the application. */
  readonly isValue: boolean
  /** Whether a request that lacks it has an error. */
  readonly required: boolean
  /** Whether the value may be a secret, which explanations do not show. */
  readonly secret: boolean
  /** How texts are spelled before they are compared. */
  readonly spell: ((text: string) => string) | undefined
  /** Whether letter case does not matter. */
  readonly ignoresCase: boolean
  /** The value that counts if there are several, so that a client cannot choose it freely. Undefined if there is none. */
  readonly counted: ((several: Several, context: RequestContext) => string | undefined) | undefined
  /** Reads the value. `Waiting` if it is not known yet. */
  load(context: RequestContext): Value | Failure | Waiting
}

export type FieldType = 'text' | 'number' | 'integer' | 'boolean' | 'address' | 'path'

/** A value that cannot be used. It is the error of the request if a rule needs the value. */
export class Failure {
  readonly error: unknown

  constructor(error: unknown) {
    this.error = error
  }
}

/** A value that is a pending promise. */
export class Waiting {
  readonly value: PromiseLike<Value | Failure>

  constructor(value: PromiseLike<Value | Failure>) {
    this.value = value
  }
}

/** A value of `once` that has not arrived. */
class Awaited {
  readonly arrival: PromiseLike<void>

  constructor(arrival: PromiseLike<void>) {
    this.arrival = arrival
  }
}

/** Thrown when a judgement needs a value that is a pending promise. The judgement is repeated once the value is known. */
export const suspended: unique symbol = Symbol('suspended')

const unread = new Failure(undefined)

/** An array of unread slots. A copy of it has exactly the size that it needs. */
function unreadSlots(count: number): readonly (Value | Failure)[] {
  let row = rows.get(count)
  if (row === undefined) rows.set(count, (row = Array.from({ length: count }, () => unread)))
  return row
}

const rows = new Map<number, readonly (Value | Failure)[]>()

/** One request during its judgement: each field is read at most once. */
export class RequestContext {
  readonly facts: Facts
  readonly now: number
  /** The value that a suspended judgement waits for. */
  pending: PromiseLike<void> | undefined
  readonly #slots: (Value | Failure)[]
  #awaited: Map<number, PromiseLike<void>> | undefined
  #remembered: Map<string, unknown> | undefined
  #url: string | undefined
  #routes: Routes | undefined
  #normalMatch: PathMatch | undefined
  #exactMatch: PathMatch | undefined
  #query: Query | undefined

  constructor(facts: Facts, now: number, slots: number) {
    this.facts = facts
    this.now = now
    this.#slots = unreadSlots(slots).slice()
  }

  /** The value of a field; an error that prevents it is thrown. */
  read(field: Field): Value {
    const value = this.peek(field)
    if (value instanceof Failure) throw value.error
    return value
  }

  /** The same, with the error as a value. */
  peek(field: Field): Value | Failure {
    const known = this.#slots[field.slot]
    return known === unread ? this.#load(field) : known
  }

  /** The URL as the client sent it; '' if the request has none. */
  get url(): string {
    return (this.#url ??= this.facts.url ?? '')
  }

  /** The patterns that the path fits. Undefined if the request has no path, or one of several meanings where the path as it was sent counts. */
  pathMatch(patterns: Patterns, exact: boolean): PathMatch | undefined {
    const { url } = this
    if (url === '') return undefined
    if (exact) return (this.#exactMatch ??= patterns.match(url, this.#routed.other))
    if (this.#normalMatch !== undefined) return this.#normalMatch
    const { target, other } = this.#routed
    return (this.#normalMatch = patterns.match(target, other))
  }

  /** Whether the client sent a URL or a parameter that has several meanings, so that more rules apply than to a usual request. */
  get hasSeveralMeanings(): boolean {
    const { all = [], isAny = false } = this.#normalMatch ?? {}
    return isAny || all.length > 1 || this.#slots.some((value) => Array.isArray(value))
  }

  /** The parameters of the query. */
  get query(): Query {
    return (this.#query ??= new Query(this.#routed))
  }

  /** A value that is worked out once for each request. A promise of it suspends the judgement. */
  once<T>(key: string, make: () => T | PromiseLike<T>): T {
    const remembered = (this.#remembered ??= new Map<string, unknown>())
    const known = remembered.get(key)
    if (known instanceof Failure) throw known.error
    if (known instanceof Awaited) this.#suspend(known.arrival)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each key has one type
    if (known !== undefined) return known as T
    const made = make()
    if (!isPromise(made)) {
      remembered.set(key, made)
      return made
    }
    const arrival = Promise.resolve(made).then(
      (value) => void remembered.set(key, value),
      (error: unknown) => void remembered.set(key, new Failure(error)),
    )
    remembered.set(key, new Awaited(arrival))
    return this.#suspend(arrival)
  }

  get #routed(): Routes {
    return (this.#routes ??= routesOf(this.url, this.facts))
  }

  #load(field: Field): Value | Failure {
    const { slot } = field
    const awaited = this.#awaited?.get(slot)
    if (awaited !== undefined) this.#suspend(awaited)
    let loaded: Value | Failure | Waiting
    try {
      loaded = field.load(this)
    } catch (error) {
      if (error === suspended) throw error
      loaded = new Failure(error)
    }
    if (loaded instanceof Waiting) {
      const arrival = Promise.resolve(loaded.value).then(
        (value) => void (this.#slots[slot] = value),
        (error: unknown) => void (this.#slots[slot] = new Failure(error)),
      )
      this.#awaited ??= new Map<number, PromiseLike<void>>()
      this.#awaited.set(slot, arrival)
      return this.#suspend(arrival)
    }
    this.#slots[slot] = loaded
    return loaded
  }

  #suspend(pending: PromiseLike<void>): never {
    this.pending = pending
    // oxlint-disable-next-line typescript/only-throw-error -- not an error: it stops the search at this point
    throw suspended
  }
}
