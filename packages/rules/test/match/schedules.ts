import type { ScheduleDeclaration } from '../../src/document/document.js'
import { Findings } from '../../src/document/findings.js'
import type { Finding } from '../../src/index.js'
import { createSchedule, type Schedule } from '../../src/match/schedule.js'

/** The schedule of a valid declaration, in UTC if the declaration names no zone. */
export function scheduleOf(declaration: ScheduleDeclaration): Schedule {
  const findings = noFindings()
  const schedule = createSchedule(declaration, 'UTC', findings.place())
  if (schedule === undefined) throw new Error(JSON.stringify(findings.list))
  return schedule
}

/** The mistakes of a declaration. */
export function findingsOf(declaration: ScheduleDeclaration): readonly Finding[] {
  const findings = noFindings()
  createSchedule(declaration, 'UTC', findings.place())
  return findings.list
}

function noFindings(): Findings {
  return new Findings({ positionOf: () => ({ line: 0, column: 0 }) })
}
