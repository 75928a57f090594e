import { isPromise } from '@sluice/core/internal'
import type { Facts } from '../facts.js'
import { anyPath, pathsOf, type PathReading, type Paths, type Patterns } from './paths/patterns.js'
import { Query } from './paths/query.js'
import { routesOf, type Routes } from './paths/routes.js'
import { anything, Failure, isSeveral, Several, type Slot, type Value } from './value.js'

export type FieldType = 'text' | 'number' | 'integer' | 'boolean' | 'address' | 'path'

/** Something that a request has, and where its value is kept during a judgement. */
export interface Field {
  /** As documents write it. */
  readonly name: string
  readonly slot: number
  readonly type: FieldType
  /** The values that are possible, if the document lists them. */
  readonly oneOf: readonly (string | number)[] | undefined
  /** Whether a request that lacks it has an error. */
  readonly required: boolean
  /** Whether the value may be a secret, which explanations do not show. */
  readonly secret: boolean
  /** How texts are spelled before they are compared. */
  readonly spell: ((text: string) => string) | undefined
  /** Whether exemptions compare it as it was sent, and not in that spelling. */
  readonly isExact: boolean
  /** Whether letter case does not matter, where `spell` counts. */
  readonly ignoresCase: boolean
  /** Checks what the application returns for a declared value. Undefined for other fields. */
  readonly check: ((value: unknown) => Value | Failure) | undefined
  /** Reads it from a path. Undefined for other fields. */
  readonly inPath: ((path: PathReading) => Value) | undefined
  /** Reads it from the request. */
  load(request: Request): Value | Several | Failure
  /** The value that counts, so that a client cannot choose it freely. */
  counted(request: Request): Value
}

const unread: unique symbol = Symbol('unread')

/** A URL that can mean more paths can mean any path, so that limits apply and no exemption does. */
const mostReadings = 8

/** One request during its judgement: each field is read at most once. */
export class Request {
  readonly facts: Facts
  readonly now: number
  readonly #patterns: Patterns
  readonly #slots: (Slot | typeof unread)[]
  #url: string | undefined
  #routes: Routes | undefined
  #paths: Paths | undefined
  #query: Query | undefined
  #one: readonly Reading[] | undefined
  #readings: readonly Reading[] | undefined

  constructor(facts: Facts, now: number, patterns: Patterns, slots: number) {
    this.facts = facts
    this.now = now
    this.#patterns = patterns
    this.#slots = unreadSlots(slots).slice()
  }

  /** The URL as the client sent it; '' if the request has none. */
  get url(): string {
    return (this.#url ??= this.facts.url ?? '')
  }

  get paths(): Paths {
    return (this.#paths ??= pathsOf(this.url, () => this.#routed, this.#patterns))
  }

  /** The paths that rules tell apart. */
  get meanings(): readonly PathReading[] {
    const { all } = this.paths
    return all.length > mostReadings ? [anyPath(all[0].sent)] : all
  }

  get query(): Query {
    return (this.#query ??= new Query(this.#routed))
  }

  get #routed(): Routes {
    return (this.#routes ??= routesOf(this.url, this.facts))
  }

  /** Whether the client sent a request with several meanings, so that more rules apply than to a usual one. */
  get isUnclear(): boolean {
    const { all } = this.#paths ?? { all: [] }
    return all.length > 1 || all[0]?.text === anything || this.#slots.some(isSeveral)
  }

  /** What the request has of a field; an error is a value. */
  peek(field: Field): Slot {
    const known = this.#slots[field.slot]
    if (known !== unread) return known
    let loaded: Slot
    try {
      loaded = field.load(this)
    } catch (error) {
      loaded = new Failure(error)
    }
    return (this.#slots[field.slot] = loaded)
  }

  /** Whether the application has to be asked for one of these values. */
  lacks(fields: readonly Field[]): boolean {
    for (let i = 0; i < fields.length; i++) if (this.#slots[fields[i].slot] === unread) return true
    return false
  }

  /** Asks the application for values. Undefined if none of them is a promise. */
  ask(fields: readonly Field[]): Promise<unknown> | undefined {
    const arrivals: PromiseLike<void>[] = []
    for (const { slot, check, name } of fields) {
      if (this.#slots[slot] !== unread || check === undefined) continue
      const fail = (error: unknown): void => void (this.#slots[slot] = new Failure(error))
      const settle = (value: unknown): void => void (this.#slots[slot] = check(value))
      try {
        const value = this.facts.value?.(name)
        if (isPromise(value)) arrivals.push(Promise.resolve(value).then(settle).catch(fail))
        else settle(value)
      } catch (error) {
        fail(error)
      }
    }
    return arrivals.length === 0 ? undefined : Promise.all(arrivals)
  }

  /** Its readings for a rule: one for each path that a server can read, if the rule names the path. */
  readings(namesPath: boolean): readonly Reading[] {
    if (!namesPath) return (this.#one ??= [new Reading(this, undefined)])
    return (this.#readings ??= this.meanings.map((path) => new Reading(this, path)))
  }
}

/** An array of unread slots. A copy of it has exactly the size that it needs. */
function unreadSlots(count: number): readonly (typeof unread)[] {
  let row = rows.get(count)
  if (row === undefined) rows.set(count, (row = Array.from({ length: count }, () => unread)))
  return row
}

const rows = new Map<number, readonly (typeof unread)[]>()

/** A request with the path that one server reads. */
export class Reading {
  readonly request: Request
  /** Undefined for a rule that does not name the path. */
  readonly #path: PathReading | undefined

  constructor(request: Request, path: PathReading | undefined) {
    this.request = request
    this.#path = path
  }

  /**
   * The value of a field, or several; an error that prevents it is thrown.
   *
   * @param surely whether it has to be the value for every server: the path as the client sent it, and nothing if the request has several values
   */
  get(field: Field, surely: boolean): Value | Several {
    if (field.inPath !== undefined) return field.inPath(this.pathFor(surely))
    const slot = this.request.peek(field)
    if (slot instanceof Failure) throw slot.error
    if (surely) return slot instanceof Several ? undefined : slot
    return field.isExact && typeof slot === 'string' ? field.spell?.(slot) : slot
  }

  pathFor(surely: boolean): PathReading {
    const path = this.#path ?? this.request.paths.all[0]
    return surely ? path.sent : path
  }
}
