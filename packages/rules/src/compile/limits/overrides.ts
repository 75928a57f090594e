import type { Policy } from '@sluice/core'
import { addressText } from '@sluice/core/http'
import { checkedPolicy } from '@sluice/core/internal'
import type {
  OverrideDeclaration,
  PolicyDeclaration,
  RuleDeclaration,
} from '../../document/document.js'
import type { Place } from '../../document/findings.js'
import { reasonOf } from '../../errors/quoting.js'
import { withoutSlashAtEnd } from '../../match/paths/readings.js'
import type { Field, Request } from '../../match/reading.js'
import type { Vocabulary } from '../../match/vocabulary.js'
import type { Choice } from './choice.js'
import { inZone } from './policies.js'
import { readQuantity } from './quantity.js'

/** A limit in place of the rule's own. */
export interface Override {
  /** Equal for equal overrides. */
  readonly key: string
  readonly reason: string
  readonly limit: OverrideDeclaration
}

export interface OverrideReader {
  readonly field: Field
  readonly entries: readonly Override[]
  overrideOf(request: Request): Override | undefined
}

/** Reads the overrides of a rule: a table of values, or the limit that the application passes as a value. Undefined if it has none. */
export function readOverrides(
  { limit, overrides }: RuleDeclaration,
  choices: readonly Choice[],
  rule: Place,
  vocabulary: Vocabulary,
): OverrideReader | undefined {
  if (typeof limit === 'string') return readPassed(limit, rule.at('limit'), vocabulary)
  if (overrides === undefined) return undefined
  const place = rule.at('overrides')
  const { of, entries = {} } = overrides
  const { fields, zone } = vocabulary
  const field = fields.field(of, [], new Set())
  if (field === undefined) {
    const known = fields.names.filter((name) => name !== 'during' && name !== 'param.NAME')
    return place.at('of').unknown(of, known, 'SLUICE_RULES_FIELD_UNKNOWN', of, known)
  }
  const table = new Map<string, Override>()
  for (const [value, limit] of Object.entries(entries)) {
    const at = place.at('entries', value)
    const override = { key: JSON.stringify(limit), reason: `override "${value}"`, limit }
    const key = spelled(field, field.type === 'path' ? withoutSlashAtEnd(value) : value)
    if (value.includes('*')) {
      at.error('SLUICE_RULES_OVERRIDE', `"*" has no meaning in ${JSON.stringify(value)}`)
    } else if (field.type === 'address' && addressText(value) === undefined) {
      at.error(
        'SLUICE_RULES_OVERRIDE',
        `${JSON.stringify(value)} is not an address. For a range, write a rule above this one with a condition such as "when: { ip: 10.0.0.0/8 }", and the same "group" in both`,
      )
    } else if (table.has(key)) {
      at.error('SLUICE_RULES_OVERRIDE', `${JSON.stringify(value)} already has an override`)
    }
    table.set(key, override)
    try {
      for (const { declaration } of choices.flatMap(({ alternatives }) => alternatives)) {
        overridden(declaration, override, zone, choices.length)
      }
    } catch (error) {
      at.error('SLUICE_RULES_OVERRIDE', reasonOf(error))
    }
  }
  return {
    field,
    entries: [...table.values()],
    overrideOf(request) {
      const value = field.counted(request)
      return value === undefined ? undefined : table.get(spelled(field, String(value)))
    },
  }
}

/** The text of a value, which is the same for all its notations: of an address, a path, a host, a method. */
function spelled({ type, spell }: Field, text: string): string {
  return (type === 'address' ? addressText(text) : spell?.(text)) ?? text
}

/** `limit: $quota`: the application passes the limit as a value. */
function readPassed(
  reference: string,
  place: Place,
  vocabulary: Vocabulary,
): OverrideReader | undefined {
  const quantity = readQuantity(reference, place, vocabulary)
  const { field } = quantity
  if (field === undefined) return undefined
  return {
    field,
    entries: [],
    overrideOf(request) {
      const limit = quantity.of(request)
      return { key: `${limit}`, reason: `${field.name} ${limit}`, limit }
    },
  }
}

/**
 * The policy that an override makes of the rule's own.
 *
 * @param count how many policies the rule has: a whole policy and `unlimited` replace all of them
 * @throws Error if the policy has no limit that a number could replace, or the result is not a policy
 */
export function overridden(
  declaration: PolicyDeclaration,
  { limit, reason }: Override,
  zone: string | undefined,
  count: number,
): Policy {
  if (limit === 'unlimited') return checkedPolicy({ kind: 'unlimited' }, reason)
  if (typeof limit === 'object') return checkedPolicy(inZone(limit, zone), reason)
  if (count > 1) {
    throw new Error(
      'a number cannot replace the limits of several policies: write "unlimited" or a whole policy, which replaces all of them, or divide the rule into one for each policy',
    )
  }
  if (!('limit' in declaration)) {
    throw new Error(
      `a number cannot replace the limit of "${declaration.kind}": write a whole policy`,
    )
  }
  return checkedPolicy(inZone({ ...declaration, limit }, zone), reason)
}
