import { anything, type Field, type RequestContext, type Several, type Value } from './context.js'
import { hostNames } from './hosts.js'
import type { Patterns } from './paths/patterns.js'
import { canonicalPath, folded } from './paths/spelling.js'
import { fieldOf } from './value-field.js'

// The fields that the URL and the host determine. If servers can read these in several ways, a field has several values.

/** The path. `exact`: as the client sent it, and only if it can mean nothing else. */
export function pathField(
  slot: number,
  patterns: Patterns,
  exact: boolean,
  caseSensitive: boolean,
): Field {
  return fieldOf('path', slot, {
    type: 'path',
    spell: exact ? undefined : (text) => canonicalPath(text, caseSensitive),
    ignoresCase: !exact && !caseSensitive,
    // The normal form, which is the same for all spellings that some server takes for one path.
    counted: first,
    load(context) {
      const match = context.pathMatch(patterns, exact)
      if (match === undefined) return undefined
      return match.isAny ? anything : oneOrAll(match.all)
    },
  })
}

/**
 * A parameter of the path. Spellings that differ in encoding are one value. Routers keep the letter case, and applications may ignore it, as for the names of
 * users: an exemption compares the parameter as the client sent it, and a limit in any letter case.
 */
export function paramField(
  name: string,
  slot: number,
  patterns: Patterns,
  numbers: readonly number[],
  exact: boolean,
  caseSensitive: boolean,
): Field {
  const parameter = name.slice('param.'.length)
  const source = { parameter, numbers }
  return fieldOf(name, slot, {
    spell: exact || caseSensitive ? undefined : folded,
    counted: (several, context) => countedParameter(several, context, parameter, caseSensitive),
    load(context) {
      const match = context.pathMatch(patterns, exact)
      if (match === undefined) return undefined
      return match.isAny ? anything : oneOrAll(patterns.valuesOf(match, source))
    },
  })
}

/** The value that the router found, if its parameters are known. */
function countedParameter(
  several: Several,
  context: RequestContext,
  parameter: string,
  caseSensitive: boolean,
): string {
  // Routers disagree about parameters that are not UTF-8, so these are compared in one spelling.
  const spell = (text: string): string =>
    decodeURIComponent(canonicalPath(text, caseSensitive)) || unknown
  const routed = routedValues(context, parameter).map(spell)
  if (several === anything) return routed[0] ?? unknown
  for (const one of routed) {
    const known = several.find((other) => spell(other) === one)
    if (known !== undefined) return known
  }
  return withoutParameters(several[0])
}

/** The value in a key if it is empty or cannot be known. A client that chose it would have any number of counts. */
const unknown = '\0'

function first(several: Several): string {
  return several === anything ? unknown : (several.find((one) => one !== '') ?? unknown)
}

/** The parameters that the router found, that of the same name first: the route may have other names than the rule. */
function routedValues({ facts }: RequestContext, parameter: string): readonly string[] {
  const { params } = facts
  if (params === undefined) return []
  const own = Object.hasOwn(params, parameter) ? [params[parameter]] : []
  return [...own, ...Object.values(params)].flatMap((value) =>
    typeof value === 'string' ? [value] : Array.isArray(value) ? [value.join('/')] : [],
  )
}

/** Without `;parameters`, so that values count alike for routers that cut these off and for routers that do not. */
function withoutParameters(value: string): string {
  const semicolon = value.indexOf(';')
  return semicolon > 0 ? value.slice(0, semicolon) : value
}

export function queryField(name: string, slot: number): Field {
  const parameter = name.slice('query.'.length)
  return fieldOf(name, slot, {
    load: ({ query }) => (query.isAny ? anything : oneOrAll(query.valuesOf(parameter))),
  })
}

/** The name of the host, that of the framework first. */
export function hostField(slot: number): Field {
  return fieldOf('host', slot, {
    spell: (text) => text.toLowerCase(),
    counted: first,
    load({ facts: { host } }) {
      // Adapters of applications may return anything.
      if (host === undefined || host === null) return undefined
      return oneOrAll(hostNames(typeof host === 'string' ? [host] : host))
    },
  })
}

function oneOrAll(values: readonly string[]): Value {
  return values.length > 1 ? values : values[0]
}
