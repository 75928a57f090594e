import type { When } from '../document/document.js'
import { anything, type Field, type RequestContext, type Value } from './context.js'
import type { Fields } from './fields.js'
import type { OwnPath } from './paths/path-match.js'
import { allHold, type Condition } from './predicates/conditions.js'

/**
 * Makes the test whether a rule that matches a request matches it in all of its meanings. Only then does the rule exclude others of its group: a client could
 * otherwise avoid a limit by a second meaning of its URL.
 *
 * @param asSent the conditions for the request as it was sent, if the rule names a parameter: in another letter case, it can be another one
 */
export function certaintyOf(
  when: When | undefined,
  own: OwnPath,
  asSent: readonly Condition[] | undefined,
  fields: Fields,
): (context: RequestContext) => boolean {
  const names = namesIn(when)
  const single = names
    .filter((name) => /^(?:query|cookie)\.|^host$/.test(name))
    .flatMap((name) => fields.field(name, own) ?? [])
  const ofPath = names.filter((name) => name === 'path' || name.startsWith('param.'))
  const isOwn = ofPath.length === 1 && own.patterns.length > 0
  const patterns = fields.patterns(own.exact)

  return function isCertain(context) {
    if (asSent !== undefined && !allHold(asSent, context)) return false
    if (single.some((field) => isSeveral(context.read(field)))) return false
    if (ofPath.length === 0) return true
    const match = context.pathMatch(patterns, own.exact)
    if (match === undefined) return true
    if (match.isAny) return false
    return match.all.length === 1 || (isOwn && patterns.fitAll(match, own.patterns))
  }
}

/** Whether a value is not exactly one. */
export function isSeveral(value: Value): boolean {
  return typeof value === 'object' || value === anything
}

/** The fields that predicates name, at all levels. */
export function namesIn({ any = [], all = [], not, ...fields }: When = {}): readonly string[] {
  const inner = [...any, ...all, ...(not === undefined ? [] : [not])]
  return [...Object.keys(fields), ...inner.flatMap(namesIn)]
}

/** The fields of an exemption that must not have several values: query parameters and cookies. */
export function singleFields(when: When | undefined, own: OwnPath, fields: Fields): Field[] {
  return namesIn(when)
    .filter((name) => /^(?:query|cookie)\./.test(name))
    .flatMap((name) => fields.field(name, own) ?? [])
}
