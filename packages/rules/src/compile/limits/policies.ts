import type { Policy } from '@sluice/core'
import { checkedPolicy, isRecord } from '@sluice/core/internal'
import type { PolicyDeclaration } from '../../document/document.js'
import type { Place } from '../../document/findings.js'
import { reasonOf } from '../../errors/quoting.js'
import type { Vocabulary } from '../../match/vocabulary.js'

/** Builds a policy as its builder does. Undefined after a finding. */
export function buildPolicy(
  rule: string,
  declaration: PolicyDeclaration,
  place: Place,
  { zone }: Vocabulary,
): Policy | undefined {
  warnOfShort(declaration, place)
  try {
    return checkedPolicy(inZone(declaration, zone), `rule "${rule}"`)
  } catch (error) {
    const at = hasInvalidWindow(declaration) ? placeOf('window', place) : place
    return at.error('SLUICE_RULES_POLICY', reasonOf(error))
  }
}

const durations = new Set(['window', 'every', 'lease', 'maxDelay', 'for', 'max'])

/** Warns of numbers that are probably seconds, also in a block and in the stages of a policy. */
function warnOfShort(declaration: object, place: Place): void {
  const members: [string, unknown][] = Object.entries(declaration)
  for (const [member, value] of members) {
    if (typeof value === 'object' && value !== null) warnOfShort(value, place)
    if (!durations.has(member) || !isShort(value)) continue
    placeOf(member, place).warning('SLUICE_RULES_DURATION_SHORT', value)
  }
}

/** Whether a duration is a number that is probably one of seconds. */
export function isShort(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value < 1000
}

/** Whether the declaration of an invalid policy becomes valid with another window. */
function hasInvalidWindow(declaration: PolicyDeclaration): boolean {
  if (!('window' in declaration)) return false
  try {
    checkedPolicy({ ...declaration, window: '1m' }, '')
    return true
  } catch {
    return false
  }
}

/** The place of a member of a policy. In the short form, `window` is beside `limit`. */
function placeOf(member: string, place: Place): Place {
  const { path, findings } = place
  return member === 'window' && path[2] === 'limit'
    ? findings.place(...path.slice(0, 2), 'window')
    : place
}

/** Calendar windows without a zone are in the zone of the document. */
export function inZone(
  declaration: PolicyDeclaration,
  zone: string | undefined,
): PolicyDeclaration {
  if (zone === undefined) return declaration
  if (declaration.kind === 'calendarWindow') return { timeZone: zone, ...declaration }
  if (declaration.kind !== 'staged') return declaration
  const staged: Record<string, unknown> & PolicyDeclaration = { ...declaration }
  for (const [name, stage] of Object.entries(declaration)) {
    if (isPolicyDeclaration(stage)) staged[name] = inZone(stage, zone)
  }
  return staged
}

function isPolicyDeclaration(value: unknown): value is PolicyDeclaration {
  return isRecord(value) && typeof value['kind'] === 'string'
}
