import { isClear } from './clear.js'
import { canonicalPath } from './spelling.js'
import { plainPath, targetOf } from './target.js'

/** All paths that a URL can mean, in the canonical spelling. */
export interface PathReadings {
  /** The normal form first. */
  readonly all: readonly [string, ...string[]]
  /** The paths that routers read. They resolve nothing. Parameters are those of routes, so they are looked for in these paths first. */
  readonly routed: readonly string[]
  /** Whether the URL can mean any path. `all` has one of them. */
  readonly isAny: boolean
}

/** A path beyond these bounds that is not clear can mean any path: its readings would take too much work. */
const longestRead = 2048
const mostSegments = 64

/**
 * Finds all paths that a URL can mean. Frameworks and file servers disagree about the spellings that they resolve: `/a/../b` is `/b` for a file server, and
 * a path below `/a` for a router. A limit for one meaning only could be avoided by a URL with another.
 */
export function pathReadings(url: string, caseSensitive: boolean): PathReadings {
  const usual = plainPath(url)
  if (usual !== undefined) return onlyPath(usual)
  // Fastify takes it for the path `/`.
  if (url === '*') return { all: ['/*', '/'], routed: ['/*', '/'], isAny: false }
  const target = targetOf(url)
  if (target === undefined) return anyPath(url)
  const { path, parsed } = target
  if (isClear(path)) return onlyPath(canonicalPath(path, caseSensitive))
  if (path.length > longestRead || (path.match(separator)?.length ?? 0) > mostSegments) {
    return anyPath(path)
  }
  return readingsOf(new Set([parsed, path].flatMap(withoutQuery)), caseSensitive)
}

const separator = /[/\\]|%2F|%5C/gi

/** The reading of a path that can mean nothing else. */
export function onlyPath(path: string): PathReadings {
  const all = [path] as const
  return { all, routed: all, isAny: false }
}

function anyPath(path: string): PathReadings {
  return { all: [path], routed: [], isAny: true }
}

/** A semicolon can begin the query. */
function withoutQuery(path: string): readonly string[] {
  const semicolon = path.indexOf(';')
  return semicolon === -1 ? [path] : [path, path.slice(0, semicolon)]
}

function readingsOf(sent: ReadonlySet<string>, caseSensitive: boolean): PathReadings {
  const routed = new Set<string>()
  const served = new Set<string>()
  let normal: string | undefined
  for (const one of sent) {
    const canonical = canonicalPath(one, caseSensitive)
    const path = canonical.startsWith('/') ? canonical : `/${canonical}`
    normal ??= resolved(separated(path).map(withoutParameters))
    addRouted(path, routed)
    addServed(path, served)
  }
  const all = new Set([...(normal === undefined ? [] : [normal]), ...routed, ...served])
  const [first = '/', ...others] = all
  return { all: [first, ...others], routed: [...routed], isAny: false }
}

/** A router may ignore a slash at the end, and slashes behind another one. */
function addRouted(path: string, routed: Set<string>): void {
  routed.add(filled(path)).add(filled(withoutSlashAtEnd(path)))
  if (!path.includes('//')) return
  const collapsed = path.replace(/\/{2,}/g, '/')
  routed.add(filled(withoutSlashAtEnd(collapsed))).add(filled(collapsed))
}

/** A router can take an empty segment for an empty parameter, also at the end. No pattern contains `%00`, so that only parameters and wildcards fit it. */
function filled(path: string): string {
  return path === '/' ? path : path.replace(/\/(?=\/|$)/g, '/%00')
}

export function withoutSlashAtEnd(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

/** File servers decode a path before they resolve it, and those of Windows separate it by backslashes, too. Others ignore the parameters of segments. */
function addServed(path: string, served: Set<string>): void {
  const segments = separated(path)
  served.add(resolved(segments.map(withoutParameters))).add(resolved(segments))
  served.add(resolved(path.replaceAll('%2F', '/').split('/')))
  served.add(resolved(path.split('/').map(withoutParameters)))
}

function separated(path: string): readonly string[] {
  return path.replace(/%2F|%5C/g, '/').split('/')
}

/** The segments of a path without `.`, `..` and those that are empty, as a path. */
function resolved(sent: readonly string[]): string {
  const segments: string[] = []
  for (const segment of sent) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return `/${segments.join('/')}`
}

function withoutParameters(segment: string): string {
  const semicolon = segment.indexOf(';')
  return semicolon === -1 ? segment : segment.slice(0, semicolon)
}
