import { isTimeZone } from '@sluice/core/internal'
import type { RulesDocument, Scalar } from '../document/document.js'
import type { Findings, Place } from '../document/findings.js'
import { reasonOf } from '../errors/quoting.js'
import { Fields, reservedNames } from './fields.js'
import { readList, type List } from './lists.js'
import { Patterns } from './paths/patterns.js'
import type { Test } from './predicates/conditions.js'
import { createRegexpMemo, type RegexpMemo } from './predicates/operators.js'
import { createSchedule, type Schedule } from './schedule.js'

/** The fields, lists and schedules of a document, which its rules refer to by name. */
export interface Vocabulary {
  readonly findings: Findings
  readonly fields: Fields
  readonly patterns: Patterns
  readonly lists: ReadonlyMap<string, List>
  readonly schedules: ReadonlyMap<string, Schedule>
  readonly regexps: RegexpMemo
  /** Tests by their fields and predicates: thousands of rules can have the same one, which a processor then has at hand. */
  readonly tests: Map<string, Test>
  /** The time zone of calendar windows that name none. */
  readonly zone: string | undefined
  /** The list of `$name`. Undefined after a finding if there is none of this kind. */
  listOf(reference: string, kind: List['kind'] | undefined, place: Place): List | undefined
  scheduleOf(name: string, place: Place): Schedule | undefined
  /** The numbers of patterns, each mistake a finding. */
  patternsOf(patterns: readonly Scalar[], place: Place): readonly number[]
}

/** Reads the declarations of a document besides its rules. */
export function createVocabulary(
  document: Omit<RulesDocument, 'rules'>,
  files: ReadonlyMap<string, string>,
  findings: Findings,
): Vocabulary {
  checkNames(document, findings)
  const fields = new Fields(document)
  const patterns = new Patterns(fields.caseSensitive)
  const lists = new Map<string, List>()
  for (const [name, list] of Object.entries(document.lists ?? {})) {
    lists.set(name, readList(name, list, files, findings.place('lists', name)))
  }
  const schedules = readSchedules(document, findings)
  return {
    findings,
    fields,
    patterns,
    lists,
    schedules,
    regexps: createRegexpMemo(),
    tests: new Map(),
    zone: document.zone,

    listOf(reference, kind, place) {
      const name = reference.slice(1)
      const list = lists.get(name)
      const known = [...lists.keys()]
      if (list === undefined)
        return place.unknown(name, known, 'SLUICE_RULES_LIST_UNKNOWN', name, known)
      if (kind === undefined || list.kind === kind) return list
      return place.error('SLUICE_RULES_OPTION_INVALID', reference, `a list of the kind "${kind}"`)
    },

    scheduleOf(name, place) {
      const schedule = schedules.get(name)
      if (schedule === undefined && document.schedules?.[name] === undefined) {
        const known = [...schedules.keys()]
        place.unknown(name, known, 'SLUICE_RULES_SCHEDULE_UNKNOWN', name, known)
      }
      return schedule
    },

    patternsOf: (texts, place) =>
      texts.flatMap((text) => {
        try {
          return patterns.add(`${text}`)
        } catch (error) {
          place.error('SLUICE_RULES_PATTERN', `${text}`, reasonOf(error))
          return []
        }
      }),
  }
}

function checkNames({ values = {}, zone }: Omit<RulesDocument, 'rules'>, findings: Findings): void {
  for (const name of Object.keys(values)) {
    if (!reservedNames.includes(name)) continue
    const expected = `another name. These are reserved: ${reservedNames.join(', ')}`
    findings.place('values', name).error('SLUICE_RULES_OPTION_INVALID', name, expected)
  }
  if (zone !== undefined && !isTimeZone(zone)) {
    const expected = 'an IANA time zone such as Europe/Berlin'
    findings.place('zone').error('SLUICE_RULES_OPTION_INVALID', zone, expected)
  }
}

function readSchedules(
  { schedules = {}, zone }: Omit<RulesDocument, 'rules'>,
  findings: Findings,
): ReadonlyMap<string, Schedule> {
  const read = new Map<string, Schedule>()
  for (const [name, declaration] of Object.entries(schedules)) {
    const place = findings.place('schedules', name)
    if (zone === undefined && declaration.zone === undefined) {
      const expected =
        'an IANA time zone such as Europe/Berlin, in the schedule or in the "zone" of the document'
      place.error('SLUICE_RULES_OPTION_MISSING', 'zone', expected)
    }
    // A wrong zone of the document is one mistake, and not a mistake of each schedule.
    const usual = zone !== undefined && isTimeZone(zone) ? zone : 'UTC'
    const schedule = createSchedule(declaration, usual, place)
    if (schedule !== undefined) read.set(name, schedule)
  }
  return read
}
