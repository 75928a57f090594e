import { formatsOf, statedFormat } from '../../../src/simulate/log/formats.js'
import { jsonFormats, type FieldNames } from '../../../src/simulate/log/json.js'
import {
  BadLine,
  type LineReader,
  type LogRecord,
  type Meaning,
} from '../../../src/simulate/log/record.js'

export const time = Date.UTC(2026, 10, 20, 12, 30, 15)
export const request = '[20/Nov/2026:12:30:15 +0000] "GET /a?b=1 HTTP/1.1" 200 5'
export const quoted = '"https://example.com/" "curl/8.0"'

/** The fields that all formats have. */
export const plain = { time, method: 'GET', url: '/a?b=1', status: 200, ip: '192.0.2.1' }

const usual: Meaning = { address: undefined, zoneMs: 0 }

/** A reader of a format by its name, or of a format in the language of nginx or Apache. */
export function readerOf(
  name: string,
  fields: FieldNames = {},
  meaning: Meaning = usual,
): LineReader {
  if (/[$%]/.test(name)) return statedFormat(name, 'nginx').open(meaning)
  const format = formatsOf(fields).find((one) => one.name === name)
  if (format === undefined) throw new Error(`no format ${name}`)
  return format.open(meaning)
}

/** The record of a line, or the reason why it has none. */
export function cut(reader: LineReader, line: string): LogRecord | string {
  const bytes = Buffer.from(line, 'utf8').toString('latin1')
  return readingOf(reader, bytes)
}

export function readingOf(reader: LineReader, bytes: string): LogRecord | string {
  const reading = reader.read(bytes)
  return reading instanceof BadLine ? `bad: ${reading.reason}` : reading
}

/** The fields that a record has; the reason of a line without one. */
export function fieldsOf(record: LogRecord | string): unknown {
  if (typeof record === 'string') return record
  const { time, method, url, status, address, user, bytes, durationMs, host } = record
  const given = {
    time,
    method,
    url,
    status,
    ip: address?.text,
    user,
    bytes,
    durationMs,
    host,
    agent: record.header('user-agent'),
    referer: record.header('referer'),
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

/** Reads a line in the first format of JSON lines in which it is a request. */
export function jsonReader(fields: FieldNames = {}): LineReader {
  const readers = jsonFormats(fields).map((format) => format.open(usual))
  const plainJson = readerOf('json', fields)
  return {
    has: () => true,
    isZoneless: () => false,
    read(line) {
      for (const reader of readers) {
        const reading = reader.read(line)
        if (typeof reading !== 'string' && !(reading instanceof BadLine)) return reading
      }
      return plainJson.read(line)
    },
  }
}
