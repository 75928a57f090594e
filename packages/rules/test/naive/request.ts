import type { RulesDocument, Scalar } from '../../src/document/document.js'

/** A generated request. Its path is the usual meaning of its URL, in whatever spelling. */
export interface TrueRequest {
  readonly fields: Readonly<Record<string, Scalar | readonly string[] | undefined>>
  readonly path: string
  /** All meanings of its URL. */
  readonly readings: readonly string[]
  /** Those of routers, which resolve nothing. */
  readonly routed: readonly string[]
  /** Whether the URL is spelled as plainly as the path. */
  readonly plain: boolean
}

export interface Look {
  readonly document: RulesDocument
  readonly request: TrueRequest
  /** Whether predicates have to hold for all meanings of the request. */
  readonly certain: boolean
  readonly patterns: readonly string[]
  /** The path of this reading. */
  readonly path: string | typeof anything
}

export const anything: unique symbol = Symbol('anything')

const mostReadings = 8

/** All readings of a request for a rule that names these fields: one for each path that a server can read. Of more than eight, the path can be anything. */
export function readingsFor(names: readonly string[], look: Omit<Look, 'path'>): readonly Look[] {
  const { readings } = look.request
  const [path] = readings
  const hasPath = names.some((name) => name === 'path' || name.startsWith('param.'))
  if (!hasPath) return [{ ...look, path }]
  if (readings.length > mostReadings) return [{ ...look, path: anything }]
  return readings.map((one) => Object.assign({}, look, { path: one }))
}

/** The value of a field in one reading. Several if the client sent several, and of HEAD, which is also GET. */
export function valueOf(
  name: string,
  look: Look,
): Scalar | readonly string[] | typeof anything | undefined {
  const { request, certain } = look
  const { path, plain, fields } = request
  if (name === 'path' && certain) return plain ? path : undefined
  if (name === 'path') return look.path
  if (name === 'method' && fields['method'] === 'HEAD' && !certain) return ['GET', 'HEAD']
  if (name === 'route') return certain ? fields[name] : fields[name]?.toString().toLowerCase()
  if (name.startsWith('param.')) {
    if (look.path === anything && !certain) return anything
    return paramsIn(certain ? [path].slice(plain ? 0 : 1) : [String(look.path)], name, look)[0]
  }
  const value = fields[name]
  if (!Array.isArray(value)) return value
  return certain ? undefined : value
}

/** The values of a field that count; several if the request has several. */
export function allValuesOf(name: string, look: Look): Scalar | readonly string[] | undefined {
  const { readings, routed, fields } = look.request
  if (name === 'route') return fields[name]?.toString().toLowerCase()
  if (!name.startsWith('param.')) return fields[name]
  const values = paramsIn([...routed, ...readings], name, look)
  return values.length > 1 ? values.toSorted(emptyLast) : values[0]
}

function paramsIn(
  paths: readonly string[],
  name: string,
  { patterns, certain }: Look,
): readonly string[] {
  const values = new Set<string>()
  for (const one of paths) {
    const found = patterns
      .map((pattern) => regexpOf(pattern, certain).exec(one))
      .find((match) => match !== null)
    const value = found?.groups?.[name.slice('param.'.length)]
    if (value !== undefined) values.add(decodeURIComponent(value))
  }
  return [...values]
}

function emptyLast(a: string, b: string): number {
  return Number(a === '\0') - Number(b === '\0')
}

export function regexpOf(pattern: string, exact: boolean): RegExp {
  const source = pattern.replace(/\/:(\w+)|\/\*\*/g, (_all, name: string | undefined) =>
    name === undefined ? '(?:/.*)?' : `/(?<${name}>[^/]+)`,
  )
  return new RegExp(`^${source === '' ? '/' : source}$`, exact ? '' : 'i')
}

export function patternsOf(predicate: unknown): readonly string[] {
  if (typeof predicate === 'string') return [predicate]
  return Array.isArray(predicate) ? predicate.map(String) : []
}
