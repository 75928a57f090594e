import { rangeOfEntry, type Range } from '@sluice/core/http'
import type { Operators, Predicate, Scalar } from '../../document/document.js'
import type { Path } from '../../document/syntax.js'
import {
  allOf,
  fieldCondition,
  notOf,
  pathCondition,
  presence,
  type Condition,
} from './conditions.js'
import type { Field } from '../context.js'
import {
  allowedFor,
  expectedOf,
  fitsType,
  isOperatorName,
  type OperatorName,
} from './field-operators.js'
import {
  asIs,
  comparison,
  listCondition,
  partCondition,
  regexpCondition,
} from './operator-conditions.js'
import { equals, withinRanges } from './operators.js'
import type { Vocabulary } from '../vocabulary.js'

/** A field, and the same field within `not`. */
export interface SeenField {
  readonly field: Field
  readonly opposite: Field
}

/**
 * Reads the predicate of a field. Undefined after a finding. Rules often share predicates, such as that of a plan: equal ones are one condition.
 *
 * @param certain whether the predicate has to hold for every meaning of the request, and not only for one of them
 */
export function predicateCondition(
  seen: SeenField,
  certain: boolean,
  predicate: Predicate,
  path: Path,
  vocabulary: Vocabulary,
): Condition | undefined {
  const { field } = seen
  // Most paths are those of one rule.
  if (field.type === 'path') return read()
  return sharedCondition(field, `${certain} ${JSON.stringify(predicate)}`, vocabulary, read)

  function read(): Condition | undefined {
    if (typeof predicate !== 'object')
      return equality(field, certain, [predicate], path, vocabulary)
    if (isScalars(predicate)) return equality(field, certain, predicate, path, vocabulary)
    const conditions: Condition[] = []
    for (const name of Object.keys(predicate)) {
      if (!isOperatorName(name)) continue
      const at = [...path, name]
      const condition = operatorCondition(seen, certain, name, predicate, at, vocabulary)
      if (condition !== undefined) conditions.push(condition)
    }
    return conditions.length === 1 ? conditions[0] : allOf(conditions)
  }
}

/** The condition of an equal predicate of the same field, or else the one that `read` makes. */
function sharedCondition(
  field: Field,
  key: string,
  { conditions, findings }: Vocabulary,
  read: () => Condition | undefined,
): Condition | undefined {
  let ofField = conditions.get(field)
  if (ofField === undefined) {
    ofField = new Map<string, Condition>()
    conditions.set(field, ofField)
  }
  const known = ofField.get(key)
  if (known !== undefined) return known
  const found = findings.list.length
  const condition = read()
  // Each mistake is reported in its own place.
  if (condition !== undefined && findings.list.length === found) ofField.set(key, condition)
  return condition
}

function isScalars(predicate: readonly Scalar[] | Operators): predicate is readonly Scalar[] {
  return Array.isArray(predicate)
}

function equality(
  field: Field,
  certain: boolean,
  values: readonly Scalar[],
  path: Path,
  vocabulary: Vocabulary,
): Condition | undefined {
  if (field.type === 'address') return addresses(field, values, path, vocabulary)
  if (field.type === 'path') {
    const patterns = vocabulary.patternsOf(values, certain, path)
    return pathCondition(vocabulary.fields.patterns(certain), patterns, certain)
  }
  const { findings } = vocabulary
  const wrong = values.find((value) => !fitsType(field, value))
  if (wrong !== undefined) {
    if (field.oneOf === undefined) {
      findings.error(path, 'SLUICE_RULES_OPTION_INVALID', wrong, expectedOf(field))
    } else {
      const known = field.oneOf.map(String)
      findings.unknown(
        path,
        `${wrong}`,
        known,
        'SLUICE_RULES_OPTION_INVALID',
        wrong,
        expectedOf(field),
      )
    }
    return undefined
  }
  const spell = field.spell ?? asIs
  const spelled = values.map((value) => (typeof value === 'string' ? spell(value) : value))
  return fieldCondition(field, certain, equals(values, spell), {
    type: 'values',
    field,
    values: spelled,
  })
}

function addresses(
  field: Field,
  values: readonly Scalar[],
  path: Path,
  { findings }: Vocabulary,
): Condition | undefined {
  const ranges: Range[] = []
  for (const value of values) {
    const range = rangeOfEntry(`${value}`)
    if (typeof range === 'object') ranges.push(range)
    else {
      const expected = range ?? 'an address, a range such as 10.0.0.0/8, or { in: $list }'
      findings.error(path, 'SLUICE_RULES_OPTION_INVALID', value, expected)
    }
  }
  const operator = withinRanges(
    ranges,
    values.length === 1 ? `${values[0]}` : `in ${values.join(', ')}`,
  )
  return fieldCondition(field, false, operator, { type: 'ranges', field, ranges })
}

function operatorCondition(
  { field, opposite }: SeenField,
  certain: boolean,
  name: OperatorName,
  operators: Operators,
  path: Path,
  vocabulary: Vocabulary,
): Condition | undefined {
  const { findings } = vocabulary
  if (!allowedFor(field).has(name)) {
    const allowed = [...allowedFor(field)]
    findings.unknown(path, name, allowed, 'SLUICE_RULES_OPTION_UNKNOWN', name, allowed)
    return undefined
  }
  switch (name) {
    case 'present':
      if (operators.present === undefined) return undefined
      return presence(certain && !operators.present ? opposite : field, certain, operators.present)
    case 'not': {
      if (operators.not === undefined) return undefined
      const inverse = { field: opposite, opposite: field }
      const inner = predicateCondition(inverse, !certain, operators.not, path, vocabulary)
      return inner && notOf(inner, `${field.name} ${JSON.stringify(operators.not)}`)
    }
    case 'in':
      return listCondition(field, certain, operators.in ?? '', path, vocabulary)
    case 'from':
    case 'to':
    case 'above':
    case 'below':
      return comparison(field, certain, name, operators[name] ?? Number.NaN)
    case 'prefix':
    case 'suffix':
    case 'contains':
      return partCondition(field, certain, name, operators[name] ?? [], path, vocabulary)
    case 'matches':
      return regexpCondition(field, certain, operators.matches ?? '', path, vocabulary)
    default:
      return name satisfies never
  }
}
