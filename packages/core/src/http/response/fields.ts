/** A header and its value. */
export type HeaderField = readonly [name: string, value: string]

export const noFields: readonly HeaderField[] = []

/** The headers that a response has before a limiter writes its own. */
export interface EarlierHeaders {
  getHeader(name: string): unknown
}

/** The headers of a response, with the methods of Node's own response. */
export interface ResponseHeaders extends EarlierHeaders {
  setHeader(name: string, value: string): unknown
  removeHeader(name: string): unknown
}

/** Writes fields into a response, joined with the fields that an earlier limiter wrote. */
export function writeFields(fields: readonly HeaderField[], headers: ResponseHeaders): void {
  for (const [name, value] of joinFields(headers, fields)) headers.setHeader(name, value)
}

/**
 * Joins fields with those that a response has already, and returns the ones to write. Lists are concatenated. Of fields with one number each, those of
 * the limiter with less remaining are kept. A field in another style is replaced.
 */
export function joinFields(
  headers: EarlierHeaders,
  fields: readonly HeaderField[],
): readonly HeaderField[] {
  const joined: HeaderField[] = []
  for (const field of fields) {
    const [name, value] = field
    if (!lists.has(name)) {
      const group = groups.get(name)
      if (group === undefined || !isTighter(headers, fields, group)) joined.push(field)
      continue
    }
    const written = headers.getHeader(name)
    const earlier = written === undefined ? undefined : textOf(written)
    if (earlier === undefined || isNamed(earlier) !== isNamed(value)) joined.push(field)
    else if (isNamed(value) || name === 'RateLimit-Policy')
      joined.push([name, `${earlier}, ${value}`])
    else if (remainingIn(earlier) > remainingIn(value)) joined.push(field)
  }
  return joined
}

const lists = new Set(['RateLimit', 'RateLimit-Policy'])

/** The fields with one number each, and the prefix of their group. */
const groups: ReadonlyMap<string, string> = new Map(
  ['X-RateLimit', 'RateLimit'].flatMap((group) =>
    ['Limit', 'Remaining', 'Reset'].map((number) => [`${group}-${number}`, group] as const),
  ),
)

/** Whether the earlier fields of a group have as much remaining as the new ones, or less. */
function isTighter(
  headers: EarlierHeaders,
  fields: readonly HeaderField[],
  group: string,
): boolean {
  const name = `${group}-Remaining`
  const earlier = textOf(headers.getHeader(name))
  const [, remaining] = fields.find((field) => field[0] === name) ?? []
  return earlier !== undefined && Number(earlier) <= Number(remaining)
}

/** Whether a list is in the current draft's style, in which each item begins with a policy name. Earlier revisions begin with a number. */
function isNamed(list: string): boolean {
  return list.startsWith('"')
}

/** The remaining units in a `RateLimit` field of draft-7. */
function remainingIn(field: string): number {
  return Number(/remaining=(\d+)/.exec(field)?.[1])
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'number') return `${value}`
  return Array.isArray(value) ? value.map(String).join(', ') : undefined
}

/** Whole seconds, rounded up, so that a client does not retry too early. */
export function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000)
}

// RFC 9651, section 3.3.1: an integer has at most 15 digits. A quota may have 16.
export function structuredInteger(value: number): number {
  return Math.min(value, 999_999_999_999_999)
}

/**
 * RFC 9651, section 3.3.3: a string contains printable ASCII only. All other characters and the percent sign are percent-encoded as UTF-8, so that
 * decodeURIComponent restores every name and two names never have the same text.
 */
export function structuredString(text: string): string {
  const ascii = text.replace(/[^ -$&-~]+/g, percentEncoded)
  return `"${ascii.replace(/["\\]/g, '\\$&')}"`
}

/** The structured strings that begin the items of a list, as `structuredString` writes them. */
export function namesIn(list: unknown): readonly string[] {
  const strings = (textOf(list) ?? '').matchAll(/(^|[,=])\s*("(?:[^"\\]|\\.)*")/g)
  // A string behind "=" is a parameter.
  return Array.from(strings, ([, before, text]) => (before === '=' ? [] : [text])).flat()
}

function percentEncoded(text: string): string {
  return Array.from(
    new TextEncoder().encode(text),
    (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('')
}
