import { isList } from '../../options/predicates.js'

export type HeaderField = readonly [name: string, value: string]

/** The headers of a response, as frameworks and Node read and write them. */
export interface ResponseHeaders {
  getHeader(name: string): unknown
  setHeader(name: string, value: string): unknown
  removeHeader(name: string): unknown
}

/** Writes fields into a response. What another limiter wrote there before is joined with them. */
export function writeFields(fields: readonly HeaderField[], headers: ResponseHeaders): void {
  const joined = joinFields((name) => headers.getHeader(name), fields)
  for (const [name, value] of joined) headers.setHeader(name, value)
}

/**
 * What is to be written of some fields, where others may stand already: of two lists both, one behind the other; of fields that have one
 * number each, those of the limiter that has less remaining. A field in another style is replaced.
 */
export function joinFields(
  read: (name: string) => unknown,
  fields: readonly HeaderField[],
): readonly HeaderField[] {
  const joined: HeaderField[] = []
  for (const field of fields) {
    const [name, value] = field
    const group = groups.get(name)
    if (group !== undefined) {
      if (!isTighter(read, fields, group)) joined.push(field)
      continue
    }
    const earlier = lists.has(name) ? textOf(read(name)) : undefined
    if (earlier === undefined || isNamed(earlier) !== isNamed(value)) joined.push(field)
    else if (isNamed(value) || name === 'RateLimit-Policy')
      joined.push([name, `${earlier}, ${value}`])
    else if (remainingIn(earlier) > remainingIn(value)) joined.push(field)
  }
  return joined
}

const lists = new Set(['RateLimit', 'RateLimit-Policy'])

/** Fields that have one number each, and by what their names begin. */
const groups: ReadonlyMap<string, string> = new Map(
  ['X-RateLimit', 'RateLimit'].flatMap((group) =>
    ['Limit', 'Remaining', 'Reset'].map((number) => [`${group}-${number}`, group] as const),
  ),
)

/** Whether the fields that stand already have less remaining, or as much. */
function isTighter(
  read: (name: string) => unknown,
  fields: readonly HeaderField[],
  group: string,
): boolean {
  const name = `${group}-Remaining`
  const earlier = textOf(read(name))
  const [, remaining] = fields.find((field) => field[0] === name) ?? []
  return earlier !== undefined && Number(earlier) <= Number(remaining)
}

/** Whether a list has the items of the current draft, each of which begins with a policy's name. Earlier revisions have numbers. */
function isNamed(list: string): boolean {
  return list.startsWith('"')
}

/** Of the one field of draft-7. */
function remainingIn(field: string): number {
  return Number(/remaining=(\d+)/.exec(field)?.[1])
}

function textOf(value: unknown): string | undefined {
  if (isList(value)) return value.join(', ')
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : undefined
}
