/** The path of most URLs: it is spelled in lower case, and nobody can read it in another way. Undefined for all other paths. */
export function plainPath(url: string): string | undefined {
  const end = url.search(/[?#]/)
  const path = end === -1 ? url : url.slice(0, end)
  return plain.test(path) ? path : undefined
}

/** No dot begins a segment, and no slash is repeated or at the end. */
const plain = /^(?:\/|(?:\/[a-z\d_~-][a-z\d_.~-]*)+)$/

/** The path of a URL, not decoded, without origin, query and fragment. */
export interface Target {
  readonly path: string
  /** The path that Express and Koa read. */
  readonly parsed: string
}

/** Splits a URL. Undefined if it can mean any path and any query. */
export function targetOf(url: string): Target | undefined {
  const origin = url.startsWith('/') ? 0 : lengthOfOrigin(url)
  if (origin === undefined) return undefined
  const end = url.slice(origin).search(/[?#]/)
  const path = (end === -1 ? url.slice(origin) : url.slice(origin, origin + end)) || '/'
  if (origin === 0 && !isParsed.test(url)) return { path, parsed: path }
  const parsed = (end === -1 ? withoutSpacesAtEnd(path) : path).replaceAll('\\', '/')
  return isMoved.test(parsed) ? undefined : { path, parsed }
}

/** A client may send a whole URL. Frameworks agree about its path if its host is spelled plainly. */
function lengthOfOrigin(url: string): number | undefined {
  return /^https?:\/\/(?:\w+@)?(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?(?=\/|$)/i.exec(url)?.[0].length
}

/**
 * Express and Koa pass a whole URL, and a path before or behind which is one of these characters, to Node's `url.parse`. It trims the URL and takes
 * backslashes for slashes.
 */
const isParsed = /[\t\n\f\r #\u00a0\ufeff]/

/**
 * It also encodes these characters, and takes `//user@host` for a host. A mounted router of Express finds its prefix in the parsed path, cuts as many
 * characters off the URL, and parses the rest again: if both have different lengths, the rest can be any path with any query.
 */
const isMoved = /[\t\n\r "'<>^`{|}]|\/\/[^@/]+@[^@/]/

/** A regular expression would search from every space. */
export function withoutSpacesAtEnd(text: string): string {
  let end = text.length
  while (end > 0 && isSpace(text.charCodeAt(end - 1))) end--
  return text.slice(0, end)
}

function isSpace(code: number): boolean {
  return code <= 0x20 || code === 0xa0 || code === 0xfeff
}
