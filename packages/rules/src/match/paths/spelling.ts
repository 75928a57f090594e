// The canonical spelling of paths: texts that some server takes for the same path are spelled alike. Patterns are spelled in the same way, so that a rule
// finds a path in all of its spellings.

/**
 * Spells a path canonically: encodings are decoded, and letters are folded. Characters that would then change the structure of the path are encoded
 * again, such as the slash of `%2F`, which does not separate segments, and those that rou3 encodes in patterns.
 */
export function canonicalPath(path: string, caseSensitive: boolean): string {
  if (!unusual.test(path)) return caseSensitive ? path : path.toLowerCase()
  const cased = caseSensitive ? path : folded(path)
  return cased.replace(encodable, (text) =>
    text.length > 2 && text.startsWith('%') ? canonicalText(text, caseSensitive) : encoded(text),
  )
}

/** The same for a text within a segment. */
function canonicalText(text: string, caseSensitive: boolean): string {
  const decoded = decodedText(text)
  return (caseSensitive ? decoded : folded(decoded)).replace(unsafe, encoded)
}

/** Whether a path has a character that is not the canonical one, apart from its case. */
const unusual = /[^\w./~!$&'()*+,;=:@|[\]-]/

const encodable = /(?:%[\da-f]{2})+|(?:[\0-\x20"#<>?\\^`{}\x7f-\uffff]|%(?![\da-f]{2}))+/gi

const unsafe = /[\0-\x20"#%/<>?\\^`{}\x7f-\uffff]+/g

function encoded(text: string): string {
  return encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, '\ufffd'))
}

/** Decodes UTF-8. Other bytes keep their encoding. */
export function decodedText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text.replace(character, (one) => {
      try {
        return decodeURIComponent(one)
      } catch {
        return one
      }
    })
  }
}

/** The encoding of one character. */
const character =
  /%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-4](?:%[89ab][\da-f]){3}/gi

/**
 * Makes letters equal that some router takes for equal. Fastify compares decoded paths in lower case, and Express compares paths in upper case: U+212A is
 * a "K" for the one, and U+00B5 a Greek letter for the other.
 */
export function folded(text: string): string {
  const lower = text.toLowerCase()
  return isAscii(lower) ? lower : lower.toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}

export function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text)
}

/** A pattern in the spelling of canonical paths. Names of parameters keep their case. */
export function canonicalPattern(pattern: string, caseSensitive: boolean): string {
  const spelled = pattern.split(token).map((part, i) => {
    if (i % 2 === 0) return canonicalPath(part, caseSensitive)
    if (part.startsWith('%')) return literal(canonicalText(part, caseSensitive))
    return part.startsWith('\\') ? literal(canonicalPath(part.slice(1), caseSensitive)) : part
  })
  return spelled.join('').replace(/\/{2,}/g, '/')
}

/** Parts of a pattern that are not plain text. */
const token = /(\*\*:[A-Za-z_]\w*|:[A-Za-z_]\w*[*+?]?|\*\*|\\.|\?|(?:%[\da-fA-F]{2})+)/

/** A text that has no meaning in a pattern. */
function literal(text: string): string {
  return text.replace(/[:()*+]/g, '\\$&')
}
