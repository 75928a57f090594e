import type { Path } from '../../document/syntax.js'
import { fieldCondition, type Condition } from './conditions.js'
import type { Field } from '../context.js'
import { compares, finds, inList, partly } from './operators.js'
import type { Vocabulary } from '../vocabulary.js'

// The conditions of single operators. They are undefined after a finding.

export function listCondition(
  field: Field,
  certain: boolean,
  reference: string,
  path: Path,
  { findings, listOf }: Vocabulary,
): Condition | undefined {
  const list = listOf(reference, path)
  if (list === undefined) return undefined
  if (field.type === 'address' && list.kind !== 'address') {
    findings.error(path, 'SLUICE_RULES_OPTION_INVALID', reference, 'a list of the kind "address"')
    return undefined
  }
  return fieldCondition(field, certain, inList(list, field.spell), { type: 'list', field, list })
}

export function comparison(
  field: Field,
  certain: boolean,
  name: 'from' | 'to' | 'above' | 'below',
  bound: number,
): Condition {
  const holds = {
    from: (value: number) => value >= bound,
    to: (value: number) => value <= bound,
    above: (value: number) => value > bound,
    below: (value: number) => value < bound,
  }[name]
  const words = { from: 'at least', to: 'at most', above: 'above', below: 'below' }[name]
  return fieldCondition(field, certain, compares(`${words} ${bound}`, holds))
}

export function partCondition(
  field: Field,
  certain: boolean,
  part: 'prefix' | 'suffix' | 'contains',
  given: string | readonly string[],
  path: Path,
  { findings, listOf }: Vocabulary,
): Condition | undefined {
  const { spell } = field
  if (typeof given === 'string' && given.startsWith('$')) {
    const list = listOf(given, path)
    if (list === undefined) return undefined
    if (list.kind !== 'text') {
      findings.error(path, 'SLUICE_RULES_OPTION_INVALID', given, 'a list of the kind "text"')
      return undefined
    }
    return fieldCondition(
      field,
      certain,
      partly(part, () => list.spelled(spell), given),
    )
  }
  const texts = (typeof given === 'string' ? [given] : given).map(spell ?? asIs)
  if (texts.includes('')) {
    findings.error(path, 'SLUICE_RULES_OPTION_INVALID', '', 'a text that is not empty')
    return undefined
  }
  return fieldCondition(
    field,
    certain,
    partly(part, () => texts, texts.join(', ')),
  )
}

export function regexpCondition(
  field: Field,
  certain: boolean,
  source: string,
  path: Path,
  { findings, regexps }: Vocabulary,
): Condition | undefined {
  try {
    return fieldCondition(field, certain, finds(source, field.ignoresCase, regexps))
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    findings.error(path, 'SLUICE_RULES_REGEXP', source, problem)
    return undefined
  }
}

/** The spelling of a field that has no other notations. */
export function asIs(text: string): string {
  return text
}
