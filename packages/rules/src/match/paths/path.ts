/**
 * The normal form of the path of a URL, in which all spellings of one path are equal: without query, `;parameters`, `.` and `..`, repeated and trailing
 * slashes, with characters decoded that need no encoding.
 */
export function normalPath(url: string, caseSensitive: boolean): string {
  const path = pathOf(url)
  if (plain.test(path)) return path
  return resolved(decodedPath(path, caseSensitive).split('/').map(withoutParameters))
}

/** The segments of a path without `.`, `..` and those that are empty, as a path. */
export function resolved(sent: readonly string[]): string {
  const segments: string[] = []
  for (const segment of sent) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return `/${segments.join('/')}`
}

export function withoutParameters(segment: string): string {
  const semicolon = segment.indexOf(';')
  return semicolon === -1 ? segment : segment.slice(0, semicolon)
}

/**
 * The path as the client sent it, if it is spelled plainly. Undefined for other spellings, so that an exemption does not cover them: `/static/../admin`
 * fits `/static/**`.
 */
export function plainPath(url: string): string | undefined {
  if (!url.startsWith('/')) return undefined
  const path = pathOf(url)
  return plain.test(path) || normalPath(path, true) === path ? path : undefined
}

/** The path of a URL, without query and fragment. A proxy may send the whole URL. */
export function pathOf(url: string): string {
  const ends = url.search(/[?#]/)
  const whole = ends === -1 ? url : url.slice(0, ends)
  return whole.startsWith('/') ? whole : whole.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '')
}

/** A path in lower case that is its own normal form: no dot begins a segment, no slash is repeated or at the end. */
export const plain: RegExp = /^(?:\/|(?:\/[a-z\d_~-][a-z\d_.~-]*)+)$/

/**
 * Decodes characters that mean the same with and without encoding, and writes all other encodings in capitals. A slash stays encoded, because `%2F` does
 * not separate segments.
 */
export function decodedPath(path: string, caseSensitive: boolean): string {
  const decoded = path
    .replace(/%([\da-f]{2})/gi, (encoded, digits: string) => {
      const character = String.fromCharCode(Number.parseInt(digits, 16))
      return decodable.test(character) ? character : encoded
    })
    .replace(encodable, encodeURIComponent)
  const cased = caseSensitive ? decoded : decoded.toLowerCase()
  return cased.replace(/%[\da-f]{2}/gi, (encoded) => encoded.toUpperCase())
}

/** Unreserved characters (RFC 3986, section 2.3), and those that `encodeURIComponent` leaves and all frameworks decode. */
const decodable = /[\w.~!'()*-]/

/** Characters that a path cannot contain, which some servers accept. */
const encodable = /[\s"<>^`{}|[\]]/g

/** A pattern in the spelling of normal paths. Names of parameters keep their case. */
export function normalPattern(pattern: string, caseSensitive: boolean): string {
  const parts = pattern.split(/((?:\*\*)?:[A-Za-z_]\w*|\\.)/)
  const spelled = parts.map((part, i) => {
    if (i % 2 === 1) return part
    const cased = caseSensitive ? part : part.toLowerCase()
    return cased.replace(/%[\da-f]{2}/gi, (encoded) => {
      const decoded = decodedPath(encoded, caseSensitive)
      return /[()*]/.test(decoded) ? `\\${decoded}` : decoded
    })
  })
  return spelled.join('').replace(/\/{2,}/g, '/')
}
