import { byName } from '@sluice/core/internal'

/** The cookies of a `Cookie` header (RFC 6265, section 4.2.1), which is read once. */
export class Cookies {
  /** Each cookie as it was sent, by its name without the spaces around it. */
  readonly #sent: ReadonlyMap<string, readonly string[]>

  constructor(header: string) {
    const pairs = header.split(';').filter((pair) => pair.includes('='))
    this.#sent = byName(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')).trim(), pair]))
  }

  /**
   * The values of a cookie, decoded if it can be decoded. The parsers of frameworks read the first of several cookies of a name. They disagree about spaces
   * around the name and about quotes: a client could use these to have the rules count another value than the application reads. If their values differ, all
   * of them are returned: '' is that of a parser that finds none.
   */
  valuesOf(name: string): readonly string[] {
    const found: (string | undefined)[] = parsers.map(() => undefined)
    for (const pair of this.#sent.get(name) ?? []) {
      const equals = pair.indexOf('=')
      const sent = pair.slice(0, equals)
      const before = sent.slice(0, sent.length - sent.trimStart().length)
      const behind = sent.slice(sent.trimEnd().length)
      for (const [i, { isNamed, valueOf }] of parsers.entries()) {
        if (isNamed(before, behind)) found[i] ??= decoded(valueOf(pair.slice(equals + 1)).trim())
      }
    }
    const values = [...new Set(found.map((value) => value ?? ''))]
    return values.length === 1 && values[0] === '' ? [] : values
  }
}

interface Parser {
  /** Whether a name with these spaces before and behind it is the name. */
  isNamed(before: string, behind: string): boolean
  /** The value of the text behind the equals sign. */
  valueOf(text: string): string
}

const isBlank = (before: string, behind: string): boolean => /^[ \t]*$/.test(before + behind)

const parsers: readonly Parser[] = [
  // The package "cookie", in the version of Express.
  { isNamed: isBlank, valueOf: (text) => withoutQuotes(text.trim()) },
  // Its later versions keep quotation marks. One count for the values with and without a pair of them is the safe side.
  {
    isNamed: isBlank,
    valueOf: (text) => (text.trim() === '"' ? '"' : withoutQuotes(text.trim())),
  },
  // The package "cookies", for Koa.
  {
    isNamed: (before, behind) => /^ *$/.test(before) && behind === '',
    valueOf: withoutEnds,
  },
  // The package "@fastify/cookie".
  { isNamed: () => true, valueOf: withoutEnds },
]

function withoutQuotes(value: string): string {
  return value.endsWith('"') ? withoutEnds(value) : value
}

/** Cuts off the first and the last character of a text that begins with a quotation mark, even if it does not end with one. */
function withoutEnds(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1) : value
}

function decoded(value: string): string {
  if (!value.includes('%')) return value
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
