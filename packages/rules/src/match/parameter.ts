import { canonicalPath } from './paths/spelling.js'
import type { Request } from './reading.js'
import { anything } from './value.js'

/** The value in a key if it is empty or cannot be known. A client that chose it would have any number of counts. */
export const unknown = '\0'

/** The value that the router found, if its parameters are known. The paths of routers come first, and empty values last. */
export function countedParameter(
  request: Request,
  parameter: string,
  own: readonly number[],
  caseSensitive: boolean,
): string | undefined {
  const { all, routed } = request.paths
  const found = new Set(
    [...(all.length > 1 ? routed : []), ...all].map((path) => path.param(parameter, own)),
  )
  found.delete(undefined)
  if (found.size > 1 && found.delete(unknown)) found.add(unknown)
  const values = [...found].filter((value) => typeof value === 'string')
  if (found.size < 2 && !found.has(anything)) return values[0]
  // Routers disagree about parameters that are not UTF-8, so these are compared in one spelling.
  const spell = (text: string): string =>
    decodeURIComponent(canonicalPath(text, caseSensitive)) || unknown
  const routes = routedValues(request, parameter).map(spell)
  if (found.has(anything)) return routes[0] ?? unknown
  const known = routes.flatMap((one) => values.find((other) => spell(other) === one) ?? [])[0]
  return known ?? withoutParameters(values[0])
}

/** The parameters that the router found, that of the same name first: the route may have other names than the rule. */
function routedValues({ facts }: Request, parameter: string): readonly string[] {
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
