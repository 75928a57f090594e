import { createHash } from 'node:crypto'
import { SluiceError, type Key, type KeyPartValue } from '@sluice/core'
import { ipKey } from '@sluice/core/http'
import { countedMethod } from '@sluice/core/internal'
import type { KeyPartDeclaration } from '../../document/document.js'
import type { Path } from '../../document/syntax.js'
import type { Field, RequestContext, Value } from '../../match/context.js'
import type { OwnPath } from '../../match/paths/path-match.js'
import { noAddress } from '../../errors/requests.js'
import type { Vocabulary } from '../../match/vocabulary.js'
import { singleValue } from './single-value.js'

/** The key of a rule. */
export interface KeyReader {
  /** The fields that it reads, as lists of alternatives: one field of each list is enough. */
  readonly parts: readonly (readonly Field[])[]
  /** The key of a request. Undefined if the request lacks an optional field, so that the rule does not apply. */
  keyOf(context: RequestContext): Key | undefined
}

/** Reads the key of a rule. Mistakes go to the findings. */
export function readKey(
  rule: string,
  declaration: KeyPartDeclaration | readonly KeyPartDeclaration[] = 'ip',
  own: OwnPath,
  path: Path,
  { fields, findings }: Vocabulary,
): KeyReader {
  const parts: (readonly Field[])[] = []

  function fieldOf(name: string, place: Path): Field[] {
    const field = name === 'during' ? undefined : fields.field(name, own)
    if (field !== undefined) return [field]
    const known = fields.names.filter((other) => other !== 'during')
    findings.unknown(place, name, known, 'SLUICE_RULES_FIELD_UNKNOWN', name, known)
    return []
  }

  const declared = isList(declaration) ? declaration : [declaration]
  declared.forEach((part, i) => {
    const place = isList(declaration) ? [...path, i] : path
    if (typeof part === 'string') parts.push(fieldOf(part, place))
    else parts.push(part.first.flatMap((name, j) => fieldOf(name, [...place, 'first', j])))
  })
  const [first] = parts
  if (parts.length === 1 && first.length === 1) {
    const [field] = first
    return { parts, keyOf: (context) => keyOfOne(rule, field, context) }
  }
  return { parts, keyOf: (context) => keyOfAll(rule, parts, context) }
}

/** A single count for all requests also needs a key. */
const everybody = 'all'

function keyOfOne(rule: string, field: Field, context: RequestContext): Key | undefined {
  if (field.type === 'address') return addressPart(rule, field, context)
  const value = context.read(field)
  return value === undefined ? undefined : [field.name, partOf(field, value, context)]
}

function keyOfAll(
  rule: string,
  parts: readonly (readonly Field[])[],
  context: RequestContext,
): Key | undefined {
  if (parts.length === 0) return everybody
  const key: KeyPartValue[] = []
  for (const fields of parts) {
    if (!addPart(rule, fields, context, key)) return undefined
  }
  // A list of one part is the same key as that part.
  return key.length === 1 && typeof key[0] === 'string' ? key[0] : key
}

/** Adds the first field that the request has. False if it has none of them. */
function addPart(
  rule: string,
  fields: readonly Field[],
  context: RequestContext,
  key: KeyPartValue[],
): boolean {
  for (const field of fields) {
    if (field.type === 'address') {
      key.push(addressPart(rule, field, context))
      return true
    }
    const value = context.read(field)
    if (value !== undefined) {
      key.push(field.name, partOf(field, value, context))
      return true
    }
  }
  return false
}

/** As `byIp` makes it: a request without an address is an error. */
function addressPart(rule: string, field: Field, context: RequestContext): string {
  const value = context.read(field)
  if (typeof value === 'string') return ipKey(value)
  throw new SluiceError('SLUICE_ADDRESS_MISSING', noAddress(rule))
}

function partOf(
  field: Field,
  found: Exclude<Value, undefined>,
  context: RequestContext,
): KeyPartValue {
  const value = singleValue(field, found, context)
  if (field.name === 'method') return countedMethod(String(value))
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  const text = String(value)
  // As `byHeader` does: the value is usually a secret, which neither the store nor a log should contain.
  return field.secret ? createHash('sha256').update(text).digest('base64url') : text
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value)
}
