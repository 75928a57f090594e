import type { Path } from '../../document/syntax.js'
import { rulesError } from '../../errors.js'
import type { RequestContext } from '../../match/context.js'
import { noPath } from '../../match/paths/path-match.js'
import type { Vocabulary } from '../../match/vocabulary.js'

/** The units that a request takes. */
export interface Cost {
  /** Undefined if it depends on the request. */
  readonly fixed: number | undefined
  /** The value that contains it, if it depends on the request. */
  readonly value: string | undefined
  costOf(context: RequestContext): number
}

/** Reads the cost of a rule: a number, or a declared value as `$name`. */
export function readCost(
  declaration: number | string = 1,
  path: Path,
  { fields, findings }: Vocabulary,
): Cost {
  if (typeof declaration === 'number') {
    return { fixed: declaration, value: undefined, costOf: () => declaration }
  }
  const name = declaration.slice(1)
  const field = fields.isValue(name) ? fields.field(name, noPath) : undefined
  if (field === undefined) {
    const known = fields.values
    findings.unknown(path, name, known, 'SLUICE_RULES_FIELD_UNKNOWN', name, known)
  } else if (field.type !== 'integer' && field.type !== 'number') {
    findings.error(path, 'SLUICE_RULES_OPTION_INVALID', declaration, 'a value that is a number')
  }
  return {
    fixed: undefined,
    value: name,
    costOf(context) {
      const cost = field === undefined ? undefined : context.read(field)
      if (cost === undefined) throw rulesError('SLUICE_RULES_VALUE_MISSING', name, undefined)
      if (typeof cost === 'number' && Number.isSafeInteger(cost) && cost >= 0) return cost
      throw rulesError('SLUICE_RULES_VALUE_INVALID', name, cost, 'a whole number, 0 or more')
    },
  }
}
