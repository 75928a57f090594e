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
}

export function valueOf(name: string, look: Look): Scalar | readonly string[] | undefined {
  const { request, certain } = look
  const { path, plain, readings, routed, fields } = request
  if (name === 'path' && certain) return plain ? path : undefined
  if (name === 'path') return readings
  if (name === 'method' && fields['method'] === 'HEAD' && !certain) return ['GET', 'HEAD']
  if (name === 'route') return fields[name]?.toString().toLowerCase()
  if (!name.startsWith('param.')) return fields[name]
  const seen = certain ? [path].slice(plain ? 0 : 1) : [...routed, ...readings]
  const values = new Set<string>()
  for (const one of seen) {
    const found = look.patterns
      .map((pattern) => regexpOf(pattern, certain).exec(one))
      .find((match) => match !== null)
    const value = found?.groups?.[name.slice('param.'.length)]
    if (value !== undefined) values.add(decodeURIComponent(value))
  }
  return values.size > 1 ? [...values].toSorted(emptyLast) : [...values][0]
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
