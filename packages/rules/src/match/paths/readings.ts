import { decodedPath, pathOf, plain, resolved, withoutParameters } from './path.js'

/**
 * All paths that a URL can mean, the normal form first. Frameworks, proxies and file servers disagree about the spellings that they resolve: `/a/../b` is
 * `/b` for a file server, and a path below `/a` for a router. A limit for one meaning only could be avoided by a URL with another.
 */
export function pathReadings(url: string, caseSensitive: boolean): readonly string[] {
  const path = pathOf(url)
  if (plain.test(path)) return [path]
  if (url.startsWith('/')) return readingsOf(path, caseSensitive)
  // Some versions of Fastify route `http://host?/path` by `/path`.
  const routed = pathOf(url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, ''))
  return [...readingsOf(path, caseSensitive), ...readingsOf(routed, caseSensitive)]
}

function readingsOf(path: string, caseSensitive: boolean): readonly string[] {
  const sent = decodedPath(path, caseSensitive)
  const decoded = sent.startsWith('/') ? sent : `/${sent}`
  const slashes = decoded.replaceAll('\\', '/')
  const all = segmentsOf(slashes.replace(/%2F|%5C/g, '/'))
  const readings = new Set([resolved(segmentsOf(decoded).map(withoutParameters))])
  // File servers decode a path before they resolve it.
  for (const segments of [all.map(withoutParameters), all]) readings.add(resolved(segments))
  // Routers resolve nothing. Node's `url.parse` takes a backslash for a slash.
  for (const routed of new Set([decoded, slashes])) addUnresolved(routed, readings)
  return [...readings]
}

function addUnresolved(path: string, readings: Set<string>): void {
  const semicolon = path.indexOf(';')
  // A semicolon can begin the query.
  for (const routed of semicolon === -1 ? [path] : [path, path.slice(0, semicolon)]) {
    readings.add(filled(routed))
    if (!routed.includes('//') && !routed.endsWith('/')) continue
    const trimmed = withoutSlashesAtEnd(routed)
    readings.add(filled(trimmed))
    readings.add(trimmed.replace(/\/{2,}/g, '/'))
  }
}

/** A router can take an empty segment for an empty parameter, also at the end. No pattern contains `%00`, so that only parameters and wildcards fit it. */
function filled(path: string): string {
  return path.replace(/\/(?=\/|$)/g, '/%00')
}

/** A regular expression would search from every slash. */
function withoutSlashesAtEnd(path: string): string {
  let end = path.length
  while (end > 1 && path[end - 1] === '/') end--
  return path.slice(0, end)
}

function segmentsOf(path: string): readonly string[] {
  return path.slice(1).split('/')
}
