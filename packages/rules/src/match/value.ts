import type { Scalar } from '../document/document.js'

/** The value of a field that can be any text, as far as rules can know. */
export const anything: unique symbol = Symbol('anything')

/** The value of a field in one reading of a request. Undefined if the request does not have it. */
export type Value = Scalar | typeof anything | undefined

/** The values of a field that a client sent several times, or that servers read in several ways. Undefined is that of a server that finds none. */
export class Several {
  readonly values: readonly (string | undefined)[]
  /** The value that counts. Undefined if a client could choose it freely. */
  readonly counted: string | undefined

  constructor(values: readonly string[], counted?: string) {
    this.values = values.map((value) => (value === '' ? undefined : value))
    this.counted = counted
  }
}

/** A value that cannot be used. It is the error of the request if a rule needs the value. */
export class Failure {
  readonly error: unknown

  constructor(error: unknown) {
    this.error = error
  }
}

/** What a request has of a field; an error is a value. */
export type Slot = Value | Several | Failure

export function isSeveral(slot: unknown): boolean {
  return slot instanceof Several || slot === anything
}
