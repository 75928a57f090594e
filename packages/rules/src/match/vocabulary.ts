import type { Policy } from '@sluice/core'
import { isTimeZone } from '@sluice/core/internal'
import type { RulesDocument, Scalar } from '../document/document.js'
import type { Findings } from '../document/findings.js'
import type { Path } from '../document/syntax.js'
import type { Condition } from './predicates/conditions.js'
import type { Field } from './context.js'
import { Fields, reservedNames } from './fields.js'
import { createList, type List } from './lists.js'
import { createRegexpMemo, type RegexpMemo } from './predicates/operators.js'
import { createSchedule, type Schedule } from './schedule.js'

/** The fields, lists and schedules of a document, which its rules refer to by name. */
export interface Vocabulary {
  readonly findings: Findings
  readonly fields: Fields
  readonly lists: ReadonlyMap<string, List>
  readonly schedules: ReadonlyMap<string, Schedule>
  readonly regexps: RegexpMemo
  /** Policies by their declarations. Equal ones are one object. */
  readonly policies: Map<string, Policy>
  /** Conditions by their fields and predicates. Equal ones are one object. */
  readonly conditions: Map<Field, Map<string, Condition>>
  /** The list of `$name`. Undefined after a finding if there is none. */
  listOf(reference: string, path: Path): List | undefined
  scheduleOf(name: string, path: Path): Schedule | undefined
  /** The numbers of patterns, each mistake a finding. */
  patternsOf(patterns: readonly Scalar[], exact: boolean, path: Path): readonly number[]
}

/** Reads the declarations of a document besides its rules. */
export function createVocabulary(
  document: Omit<RulesDocument, 'rules'>,
  files: ReadonlyMap<string, string>,
  findings: Findings,
): Vocabulary {
  checkNames(document, findings)
  const fields = new Fields(document)
  const lists = new Map<string, List>()
  for (const [name, list] of Object.entries(document.lists ?? {})) {
    if (list.file === undefined && list.entries === undefined) {
      findings.error(
        ['lists', name],
        'SLUICE_RULES_OPTION_MISSING',
        'entries',
        '"entries" or "file"',
      )
    }
    lists.set(name, createList(name, list, files))
  }
  const schedules = readSchedules(document, findings)
  const reported = new Set<string>()

  return {
    findings,
    fields,
    lists,
    schedules,
    regexps: createRegexpMemo(),
    policies: new Map(),
    conditions: new Map(),

    listOf(reference, path) {
      const name = reference.slice(1)
      const list = lists.get(name)
      if (list === undefined) {
        const known = [...lists.keys()]
        findings.unknown(path, name, known, 'SLUICE_RULES_LIST_UNKNOWN', name, known)
      }
      return list
    },

    scheduleOf(name, path) {
      const schedule = schedules.get(name)
      if (schedule === undefined && document.schedules?.[name] === undefined) {
        const known = [...schedules.keys()]
        findings.unknown(path, name, known, 'SLUICE_RULES_SCHEDULE_UNKNOWN', name, known)
      }
      return schedule
    },

    patternsOf(patterns, exact, path) {
      const numbers: number[] = []
      for (const pattern of patterns) {
        try {
          numbers.push(fields.patterns(exact).add(`${pattern}`))
        } catch (error) {
          // The patterns at the top of a rule are read twice: for its parameters, and for its condition.
          const key = JSON.stringify([path, pattern])
          if (reported.has(key)) continue
          reported.add(key)
          const problem = error instanceof Error ? error.message : String(error)
          findings.error(path, 'SLUICE_RULES_PATTERN', `${pattern}`, problem)
        }
      }
      return numbers
    },
  }
}

function checkNames({ values = {}, zone }: Omit<RulesDocument, 'rules'>, findings: Findings): void {
  for (const name of Object.keys(values)) {
    if (!reservedNames.includes(name)) continue
    const expected = `another name. These are reserved: ${reservedNames.join(', ')}`
    findings.error(['values', name], 'SLUICE_RULES_OPTION_INVALID', name, expected)
  }
  if (zone !== undefined && !isTimeZone(zone)) {
    const expected = 'an IANA time zone such as Europe/Berlin'
    findings.error(['zone'], 'SLUICE_RULES_OPTION_INVALID', zone, expected)
  }
}

function readSchedules(
  { schedules = {}, zone }: Omit<RulesDocument, 'rules'>,
  findings: Findings,
): ReadonlyMap<string, Schedule> {
  const read = new Map<string, Schedule>()
  for (const [name, declaration] of Object.entries(schedules)) {
    if (zone === undefined && declaration.zone === undefined) {
      const expected =
        'an IANA time zone such as Europe/Berlin, in the schedule or in the "zone" of the document'
      findings.error(['schedules', name], 'SLUICE_RULES_OPTION_MISSING', 'zone', expected)
    }
    // A wrong zone of the document is one mistake, and not a mistake of each schedule.
    const usual = zone !== undefined && isTimeZone(zone) ? zone : 'UTC'
    const schedule = createSchedule(name, declaration, usual)
    if ('activeAt' in schedule) {
      read.set(name, schedule)
      continue
    }
    for (const { member, index, value, expected } of schedule) {
      const place = index === undefined ? [member] : [member, index]
      findings.error(['schedules', name, ...place], 'SLUICE_RULES_OPTION_INVALID', value, expected)
    }
  }
  return read
}
