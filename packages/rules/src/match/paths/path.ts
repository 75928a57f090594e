/**
 * The normal form of the path of a URL, in which all spellings of one path are equal: without query, `;parameters`, `.` and `..`, repeated and trailing
 * slashes, with characters decoded that need no encoding. Frameworks, proxies and file servers disagree about which spellings they resolve, and a limit
 * that misses one of them can be avoided.
 */
export function normalPath(url: string, caseSensitive: boolean): string {
  const path = pathOf(url)
  if (plain.test(path)) return path
  const decoded = decodedPath(path, caseSensitive)
  const segments: string[] = []
  for (const sent of decoded.split('/')) {
    const semicolon = sent.indexOf(';')
    const segment = semicolon === -1 ? sent : sent.slice(0, semicolon)
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return `/${segments.join('/')}`
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
function pathOf(url: string): string {
  const ends = url.search(/[?#]/)
  const whole = ends === -1 ? url : url.slice(0, ends)
  return whole.startsWith('/') ? whole : whole.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '')
}

/** A path in lower case that is its own normal form: no dot begins a segment, no slash is repeated or at the end. */
const plain = /^(?:\/|(?:\/[a-z\d_~-][a-z\d_.~-]*)+)$/

/**
 * Decodes characters that mean the same with and without encoding, and writes all other encodings in capitals. A slash stays encoded, because `%2F` does
 * not separate segments.
 */
function decodedPath(path: string, caseSensitive: boolean): string {
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
const encodable = /[\s"<>^`{}]/g

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
