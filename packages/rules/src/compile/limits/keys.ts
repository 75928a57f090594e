import { createHash } from 'node:crypto'
import { SluiceError, type Key, type KeyPartValue } from '@sluice/core'
import { ipKey } from '@sluice/core/http'
import { countedMethod } from '@sluice/core/internal'
import type { KeyPartDeclaration } from '../../document/document.js'
import type { Place } from '../../document/findings.js'
import { noAddress } from '../../errors/requests.js'
import type { Field, Request } from '../../match/reading.js'
import type { Value } from '../../match/value.js'
import type { Vocabulary } from '../../match/vocabulary.js'
import type { Requirements } from '../../match/when.js'

/** The key of a rule. */
export interface KeyReader {
  /** The fields that it reads, as lists of alternatives: one field of each list is enough. */
  readonly parts: readonly (readonly Field[])[]
  /** The key of a request. Undefined if the request lacks an optional field, so that the rule does not apply. */
  keyOf(request: Request): Key | undefined
}

/** Reads the key of a rule. */
export function readKey(
  rule: string,
  declaration: KeyPartDeclaration | readonly KeyPartDeclaration[] = 'ip',
  { own, parameters }: Requirements,
  place: Place,
  { fields }: Vocabulary,
): KeyReader {
  const known = fields.names.filter((name) => name !== 'during')
  const fieldOf = (name: string, at: Place): readonly Field[] => {
    const field = fields.field(name, own, parameters)
    if (field === undefined) at.unknown(name, known, 'SLUICE_RULES_FIELD_UNKNOWN', name, known)
    return field === undefined ? [] : [field]
  }
  const parts = isList(declaration)
    ? declaration.map((part, i) => partOf(part, place.at(i)))
    : [partOf(declaration, place)]

  function partOf(part: KeyPartDeclaration, at: Place): readonly Field[] {
    if (typeof part === 'string') return fieldOf(part, at)
    return part.first.flatMap((name, i) => fieldOf(name, at.at('first', i)))
  }

  return {
    parts,
    keyOf(request) {
      // A single count for all requests also needs a key.
      if (parts.length === 0) return 'all'
      const key: KeyPartValue[] = []
      for (const alternatives of parts) {
        if (!alternatives.some((field) => add(field, request, key))) return undefined
      }
      // A list of one part is the same key as that part.
      return key.length === 1 && typeof key[0] === 'string' ? key[0] : key
    },
  }

  /** Adds the value of a field. False if the request does not have it. */
  function add(field: Field, request: Request, key: KeyPartValue[]): boolean {
    const value = field.counted(request)
    if (field.type === 'address') {
      // As `byIp` makes it: a request without an address is an error.
      if (typeof value !== 'string')
        throw new SluiceError('SLUICE_ADDRESS_MISSING', noAddress(rule))
      key.push(ipKey(value))
    } else if (value !== undefined) {
      key.push(field.name, partFor(field, value))
    }
    return value !== undefined
  }
}

function partFor({ name, secret }: Field, value: Exclude<Value, undefined>): KeyPartValue {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  const text = String(value)
  if (name === 'method') return countedMethod(text)
  // As `byHeader` does: the value is usually a secret, which neither the store nor a log should contain.
  return secret ? createHash('sha256').update(text).digest('base64url') : text
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value)
}
