import type { Policy } from '@sluice/core'
import { addressText } from '@sluice/core/http'
import { checkedPolicy } from '@sluice/core/internal'
import type { PolicyDeclaration, RuleDeclaration } from '../../document/document.js'
import type { Findings } from '../../document/findings.js'
import type { Path } from '../../document/syntax.js'
import type { Field, RequestContext } from '../../match/context.js'
import { linesOf } from '../../match/lists.js'
import { noPath } from '../../match/paths/path-match.js'
import { withoutSlashAtEnd } from '../../match/paths/readings.js'
import type { Vocabulary } from '../../match/vocabulary.js'
import { createAsker, overrideFor, type Override, type OverridesFunction } from './overrides.js'
import { inZone } from './policies.js'
import { singleValue } from './single-value.js'
import type { Slot } from './slots.js'

export interface OverrideReader {
  /** The overrides of the document and its file. */
  entries(): Iterable<Override>
  overrideOf(context: RequestContext): Override | undefined
  use(overrides: OverridesFunction): void
}

/** Reads the overrides of a rule. Undefined if it has none. */
export function readOverrides(
  { id, overrides }: RuleDeclaration,
  slots: readonly Slot[],
  zone: string | undefined,
  files: ReadonlyMap<string, string>,
  rulePath: Path,
  { fields, findings }: Vocabulary,
): OverrideReader | undefined {
  if (overrides === undefined) return undefined
  const path = [...rulePath, 'overrides']
  const { of, entries = {}, file } = overrides
  const field = fields.field(of, noPath)
  if (field === undefined) {
    const known = fields.names.filter((name) => name !== 'during' && name !== 'param.NAME')
    findings.unknown([...path, 'of'], of, known, 'SLUICE_RULES_FIELD_UNKNOWN', of, known)
    return undefined
  }
  const table = new OverrideTable(field)

  /** The mistake in an override; undefined if it fits every alternative of the rule. */
  function problemOf(override: Override): string | undefined {
    for (const { declaration } of slots.flatMap(({ alternatives }) => alternatives)) {
      try {
        overridden(declaration, override, zone, slots.length)
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
    }
    return undefined
  }

  for (const [value, limit] of Object.entries(entries)) {
    const override = overrideFor(value, limit, undefined)
    const problem = table.add(override) ?? problemOf(override)
    if (problem !== undefined) {
      findings.error([...path, 'entries', value], 'SLUICE_RULES_OVERRIDE', problem)
    }
  }
  if (file !== undefined) readFile(file, files, table, problemOf, [...path, 'file'], findings)
  return createReader(id, field, table)
}

/** The limits by value. A `*` at the end of a value matches any rest; the longest match counts. */
class OverrideTable {
  readonly #exact = new Map<string, Override>()
  readonly #prefixes = new Map<string, Override>()
  readonly #field: Field
  #lengths: readonly number[] = []

  constructor(field: Field) {
    this.#field = field
  }

  /** The text of a value, which is the same for all its notations: of an address, a path, a host, a method. */
  spelled(text: string): string {
    const { type, spell } = this.#field
    return (type === 'address' ? addressText(text) : spell?.(text)) ?? text
  }

  /** Adds an override, or returns the mistake in it. */
  add(override: Override): string | undefined {
    const { value } = override
    const star = value.indexOf('*')
    if (star !== -1 && star !== value.length - 1) {
      return `"*" is allowed only at the end of a value, unlike in ${JSON.stringify(value)}`
    }
    const { type } = this.#field
    // The texts of one range of IPv6 have no common prefix.
    const isAddress = star === -1 ? addressText(value) !== undefined : !value.includes(':')
    if (type === 'address' && !isAddress) {
      return `${JSON.stringify(value)} is not an address. For a range, write a rule above this one with a condition such as "when: { ip: 10.0.0.0/8 }", and the same "group" in both`
    }
    const whole = type === 'path' ? withoutSlashAtEnd(value) : value
    const table = star === -1 ? this.#exact : this.#prefixes
    const key = this.spelled(star === -1 ? whole : value.slice(0, -1))
    if (table.has(key)) return `${JSON.stringify(value)} already has an override`
    table.set(key, override)
    if (star !== -1 && !this.#lengths.includes(key.length)) {
      this.#lengths = [...this.#lengths, key.length].toSorted((a, b) => b - a)
    }
    return undefined
  }

  *entries(): Generator<Override> {
    yield* this.#exact.values()
    yield* this.#prefixes.values()
  }

  get(value: string): Override | undefined {
    const exact = this.#exact.get(value)
    if (exact !== undefined) return exact
    for (const length of this.#lengths) {
      const found = length <= value.length ? this.#prefixes.get(value.slice(0, length)) : undefined
      if (found !== undefined) return found
    }
    return undefined
  }
}

function readFile(
  file: string,
  files: ReadonlyMap<string, string>,
  table: OverrideTable,
  problemOf: (override: Override) => string | undefined,
  path: Path,
  findings: Findings,
): void {
  const text = files.get(file)
  if (text === undefined) {
    findings.error(path, 'SLUICE_RULES_FILE_MISSING', file)
    return
  }
  const known = new Map<string, string | undefined>()
  for (const { line, entry } of linesOf(text, true)) {
    const row = csvLine.exec(entry)
    if (row === null) {
      const problem = `the line ${JSON.stringify(entry.slice(0, 80))} is wrong: write value,limit or value,limit,window, where the limit is a whole number or "unlimited"`
      findings.inFile(file, line, 'SLUICE_RULES_OVERRIDE', problem)
      continue
    }
    const [, quoted, bare, limit, window] = row
    const value = quoted === undefined ? bare.trim() : quoted.replaceAll('""', '"')
    const override = overrideFor(value, limit === 'unlimited' ? limit : Number(limit), window)
    let problem = known.get(override.key)
    if (!known.has(override.key)) known.set(override.key, (problem = problemOf(override)))
    problem ??= table.add(override)
    if (problem !== undefined) findings.inFile(file, line, 'SLUICE_RULES_OVERRIDE', problem)
  }
}

/** A value (in quotes if it contains a comma or a quote), a limit, and optionally a window. */
const csvLine =
  /^(?:"((?:[^"]|"")+)"|([^",]+))\s*,\s*(\d{1,15}|unlimited)\s*(?:,\s*([^",\s][^",]*))?$/

function createReader(rule: string, field: Field, table: OverrideTable): OverrideReader {
  let ask: ((context: RequestContext, value: string) => Override | undefined) | undefined
  return {
    entries: () => table.entries(),
    overrideOf(context) {
      const value = context.read(field)
      if (value === undefined) return undefined
      const text = table.spelled(String(singleValue(field, value, context)))
      return ask?.(context, text) ?? table.get(text)
    },
    use(overrides) {
      ask = createAsker(rule, overrides)
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
  { limit, window, reason }: Override,
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
  if (window !== undefined && !('window' in declaration)) {
    throw new Error(`"${declaration.kind}" has no window`)
  }
  const changed = {
    ...declaration,
    limit,
    ...(window === undefined ? {} : { window: window.trim() }),
  }
  return checkedPolicy(inZone(changed, zone), reason)
}
