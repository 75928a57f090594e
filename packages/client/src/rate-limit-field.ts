/** A limit in a field `RateLimit`. */
export interface FieldLimit {
  readonly remaining: number | undefined
  /** Seconds until more quota comes. */
  readonly reset: number | undefined
}

const string = '"(?:[^"\\\\]|\\\\.)*"'
const name = '[a-z*][\\w.*-]*'
const parameter = `[ \\t]*;[ \\t]*${name}(?:=(?:${string}|:[\\w+/=]*:|[^\\s;,":]+))?`

/** An item with its parameters, and the comma or the end after it: a list of RFC 9651 whose items are strings or tokens. */
const listItem = new RegExp(
  `[ \\t]*(?:${string}|[A-Za-z*][^\\s;,"=]*)((?:${parameter})*)[ \\t]*(?:,(?=[ \\t]*\\S)|$)`,
  'y',
)

const eachParameter = new RegExp(`;[ \\t]*(${name})(?:=(${string}|[^\\s;,"]+))?`, 'g')

/** `limit=100, remaining=0, reset=50`: draft 7. */
const dictionary = /^\s*\w+=\d+(?:\s*,\s*\w+=\d+)*\s*$/

/** Reads a field `RateLimit`, of the current draft or of draft 7. A field in any other form has no limits. */
export function limitsIn(field: string): readonly FieldLimit[] {
  if (dictionary.test(field)) {
    return [{ remaining: memberIn(field, 'remaining'), reset: memberIn(field, 'reset') }]
  }
  const limits: FieldLimit[] = []
  for (let at = 0; at < field.length; at = listItem.lastIndex) {
    listItem.lastIndex = at
    const [, parameters] = listItem.exec(field) ?? []
    if (parameters === undefined) return []
    const values = new Map(
      Array.from(parameters.matchAll(eachParameter), ([, key, value]) => [key, value]),
    )
    limits.push({ remaining: wholeIn(values.get('r')), reset: wholeIn(values.get('t')) })
  }
  return limits
}

function memberIn(field: string, member: string): number | undefined {
  return wholeIn(new RegExp(`\\b${member}=(\\d+)`).exec(field)?.[1])
}

function wholeIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
