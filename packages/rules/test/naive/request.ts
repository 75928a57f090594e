import type { RulesDocument, Scalar } from '../../src/document/document.js'

/** A generated request. Its path is the usual meaning of its URL, in whatever spelling. */
export interface TrueRequest {
  readonly fields: Readonly<Record<string, Scalar | readonly string[] | undefined>>
  readonly path: string
  /** All meanings of its URL. */
  readonly readings: readonly string[]
  /** Whether the URL is spelled as plainly as the path. */
  readonly plain: boolean
}

export interface Look {
  readonly document: RulesDocument
  readonly request: TrueRequest
  /** Whether the rule is an exemption. */
  readonly exact: boolean
  /** Whether predicates have to hold for all meanings of the request. */
  readonly certain: boolean
  readonly patterns: readonly string[]
}

export function valueOf(name: string, look: Look): Scalar | readonly string[] | undefined {
  const { request, exact, certain } = look
  const { path, plain, readings, fields } = request
  if (name === 'path' && certain) return plain ? path : undefined
  if (name === 'path') return readings
  if (name === 'method' && fields['method'] === 'HEAD' && !certain) return ['GET', 'HEAD']
  if (!name.startsWith('param.')) return fields[name]
  const seen = exact ? [path].slice(plain ? 0 : 1) : readings
  for (const pattern of look.patterns) {
    for (const one of seen) {
      const found = regexpOf(pattern, exact).exec(one)
      const value = found?.groups?.[name.slice('param.'.length)]
      if (found !== null) return value === undefined ? undefined : decodeURIComponent(value)
    }
  }
  return undefined
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
