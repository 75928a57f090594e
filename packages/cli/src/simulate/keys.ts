import type { LogRecord } from './log/record.js'

/** Reads the key of a request. Undefined if the request has none. */
export interface KeyReader {
  /** The text of the key, for the report. */
  readonly text: string
  /** The fields that it needs. */
  readonly fields: readonly string[]
  read(record: LogRecord): string | undefined
}

/**
 * Compiles a key: a field (`ip`, `user`, `method`, `path`, `host`, `header.NAME`, `field.NAME`) or a list of fields (`[user, path]`).
 *
 * @throws Error if the text is neither
 */
export function keyReader(text: string): KeyReader {
  const trimmed = text.trim()
  const list = /^\[(.*)\]$/s.exec(trimmed)
  const fields = (list === null ? [trimmed] : list[1].split(',')).map((field) => field.trim())
  const readers = fields.map((field) => fieldReader(field, text))
  const [first] = readers
  return {
    text: trimmed,
    fields,
    read: readers.length === 1 ? first : (record) => joined(readers, record),
  }
}

/** This header is a list, and the key is the client in it. */
export const forwardedFor = 'x-forwarded-for'
export const listKey: string = `header.${forwardedFor}`

type FieldReader = (record: LogRecord) => string | undefined

/** Joins the fields as JSON, so that different lists are different keys. */
function joined(readers: readonly FieldReader[], record: LogRecord): string | undefined {
  const parts: string[] = []
  for (const read of readers) {
    const part = read(record)
    if (part === undefined) return undefined
    parts.push(part)
  }
  return JSON.stringify(parts)
}

const words = ['ip', 'user', 'method', 'path', 'host', 'header.NAME', 'field.NAME']

function fieldReader(field: string, key: string): FieldReader {
  switch (field) {
    case 'ip':
      return ({ address }) => address?.client
    case 'user':
      return ({ user }) => present(user)
    case 'host':
      return ({ host }) => present(host?.toLowerCase())
    case 'method':
      return ({ method }) => present(method)
    case 'path':
      return ({ url }) => present(pathOf(url))
    default: {
      const name = /^(header|field)\.(.+)$/.exec(field)
      if (name === null) {
        throw new Error(
          `--key ${key}: there is no field ${JSON.stringify(field)}. Fields: ${words.join(', ')}; or a list such as [user, path].`,
        )
      }
      if (name[1] === 'field') return (record) => scalar(record.field(name[2]))
      const header = name[2].toLowerCase()
      if (header === forwardedFor) return ({ forwarded }) => forwarded?.client
      return (record) => present(record.header(header))
    }
  }
}

function present(value: string | undefined): string | undefined {
  return value === '' ? undefined : value
}

function scalar(value: unknown): string | undefined {
  if (typeof value === 'string') return present(value)
  return typeof value === 'number' || typeof value === 'boolean' ? `${value}` : undefined
}

function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}
