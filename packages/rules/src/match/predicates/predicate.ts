import { rangeOfEntry, type Range } from '@sluice/core/http'
import type { Operators, Predicate, Scalar, When } from '../../document/document.js'
import type { Place } from '../../document/findings.js'
import { reasonOf } from '../../errors/quoting.js'
import type { Field } from '../reading.js'
import type { Vocabulary } from '../vocabulary.js'
import { comparableOf, isOperatorName, type OperatorName } from './field-operators.js'
import { asIs, compares, equals, finds, inList, partly, withinRanges } from './operators.js'
import { allOf, fieldTest, notOf, pathTest, presence, type Test } from './conditions.js'

/** Reads the predicate of a field. Undefined after a finding. */
export function predicateTest(
  field: Field,
  predicate: Predicate,
  place: Place,
  vocabulary: Vocabulary,
): Test | undefined {
  if (isLiteral(predicate)) return equality(field, [predicate].flat(), place, vocabulary)
  const tests = Object.keys(predicate)
    .filter(isOperatorName)
    .map((name) => operatorTest(field, name, predicate, place.at(name), vocabulary))
  return allOf(tests.filter((test) => test !== undefined))
}

/** Whether a predicate is a value or a list of values. */
export function isLiteral(predicate: When[string]): predicate is Scalar | readonly Scalar[] {
  return predicate !== undefined && (typeof predicate !== 'object' || Array.isArray(predicate))
}

function equality(
  field: Field,
  values: readonly Scalar[],
  place: Place,
  { patterns, patternsOf }: Vocabulary,
): Test | undefined {
  if (field.type === 'address') return addresses(field, values, place)
  if (field.type === 'path') return pathTest(patterns, patternsOf(values, place))
  const { fits, expected } = comparableOf(field)
  const wrong = values.find((value) => !fits(value))
  if (wrong === undefined) return fieldTest(field, (spell) => equals(values, spell))
  const known = field.oneOf?.map(String) ?? []
  return place.unknown(`${wrong}`, known, 'SLUICE_RULES_OPTION_INVALID', wrong, expected)
}

function addresses(field: Field, values: readonly Scalar[], place: Place): Test {
  const ranges: Range[] = []
  for (const value of values) {
    const range = rangeOfEntry(`${value}`)
    if (typeof range === 'object') ranges.push(range)
    else {
      const expected = range ?? 'an address, a range such as 10.0.0.0/8, or { in: $list }'
      place.error('SLUICE_RULES_OPTION_INVALID', value, expected)
    }
  }
  const words = values.length === 1 ? `${values[0]}` : `in ${values.join(', ')}`
  const operator = withinRanges(ranges, words)
  return fieldTest(field, () => operator)
}

function operatorTest(
  field: Field,
  name: OperatorName,
  operators: Operators,
  place: Place,
  vocabulary: Vocabulary,
): Test | undefined {
  const { operators: allowed } = comparableOf(field)
  if (!allowed.includes(name)) {
    return place.unknown(name, allowed, 'SLUICE_RULES_OPTION_UNKNOWN', name, allowed)
  }
  const { listOf, regexps } = vocabulary
  const { not, matches = '', present = true } = operators
  switch (name) {
    case 'present':
      return presence(field, present)
    case 'not': {
      if (not === undefined) return undefined
      const inner = predicateTest(field, not, place, vocabulary)
      return inner && notOf(inner, `${field.name} ${JSON.stringify(not)}`)
    }
    case 'in': {
      const list = listOf(
        operators.in ?? '',
        field.type === 'address' ? 'address' : undefined,
        place,
      )
      return list && fieldTest(field, (spell) => inList(list, spell))
    }
    case 'from':
    case 'to':
    case 'above':
    case 'below': {
      const operator = compares(name, operators[name] ?? Number.NaN)
      return fieldTest(field, () => operator)
    }
    case 'prefix':
    case 'suffix':
    case 'contains':
      return partTest(field, name, operators[name] ?? [], place, vocabulary)
    case 'matches':
      try {
        return fieldTest(field, (spell) =>
          finds(matches, spell !== undefined && field.ignoresCase, regexps),
        )
      } catch (error) {
        return place.error('SLUICE_RULES_REGEXP', matches, reasonOf(error))
      }
    default:
      return name satisfies never
  }
}

function partTest(
  field: Field,
  part: 'prefix' | 'suffix' | 'contains',
  given: string | readonly string[],
  place: Place,
  { listOf }: Vocabulary,
): Test | undefined {
  if (typeof given === 'string' && given.startsWith('$')) {
    const list = listOf(given, 'text', place)
    return list && fieldTest(field, (spell) => partly(part, () => list.spelled(spell), given))
  }
  const texts = typeof given === 'string' ? [given] : given
  if (texts.includes(''))
    return place.error('SLUICE_RULES_OPTION_INVALID', '', 'a text that is not empty')
  return fieldTest(field, (spell = asIs) => {
    const spelled = texts.map(spell)
    return partly(part, () => spelled, spelled.join(', '))
  })
}
