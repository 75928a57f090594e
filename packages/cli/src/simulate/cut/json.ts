import type { Cutter, LogRecord, SkipReason } from './record.js'
import { milliseconds } from './any-time.js'
import {
  firstFound,
  isObject,
  numeric,
  pathOf,
  pathsOf,
  requiredOf,
  textual,
  valueAt,
  type FieldName,
  type FieldNames,
  type FieldPaths,
  type Found,
  type JsonObject,
} from './json-fields.js'

/** Logs with one JSON object in each line. */
export function jsonCutter(given: FieldNames): Cutter {
  const paths = pathsOf(given)
  return {
    format: 'json',
    // Lines can have different fields.
    has: () => true,
    cut(text, start, end) {
      if (text.charCodeAt(start) !== openingBrace) return 'not JSON'
      let line: unknown
      try {
        line = JSON.parse(Buffer.from(text.slice(start, end), 'latin1').toString('utf8'))
      } catch {
        return 'not JSON'
      }
      return isObject(line) ? cutJson(line, paths) : 'not JSON'
    },
  }
}

const openingBrace = 0x7b

function cutJson(line: JsonObject, paths: FieldPaths): LogRecord | SkipReason {
  const { time, method, url, status } = requiredOf(line, paths)
  if (time === undefined) return 'no time'
  if (method === undefined || url === undefined) return 'not HTTP'
  if (status === undefined) return 'no status'
  const found = (field: FieldName): Found | undefined => firstFound(line, paths[field])
  const duration = found('duration')
  // The time of a record is the end of its request.
  const timeName = found('time')?.name
  const isStart = timeName?.startsWith('start') === true || timeName === 'StartUTC'
  const durationMs =
    duration === undefined ? undefined : milliseconds(duration.value, duration.name)
  const shift = isStart ? (durationMs ?? 0) : 0
  return {
    time: time + shift,
    at: time + shift,
    durationMs,
    method,
    url,
    status,
    ip: withoutPort(textual(found('ip')?.value)),
    host: textual(found('host')?.value),
    user: present(textual(found('user')?.value)),
    bytes: numeric(found('bytes')?.value),
    header: (name) => headerOf(line, name),
    field: (name) => valueAt(line, pathOf(name)),
  }
}

const headerPlaces = ['headers', 'req.headers', 'request.headers'].map((text) => pathOf(text))

function headerOf(line: JsonObject, name: string): string | undefined {
  for (const place of headerPlaces) {
    const headers = valueAt(line, place)
    if (!isObject(headers)) continue
    for (const [given, value] of Object.entries(headers)) {
      if (given.toLowerCase() === name)
        return present(textual(Array.isArray(value) ? value.join(', ') : value))
    }
  }
  const variable = name.replaceAll('-', '_')
  const names = [`http_${variable}`, `request_${capitalized(name)}`, variable]
  for (const given of names) {
    const value = textual(line[given])
    if (value !== undefined) return present(value)
  }
  return undefined
}

/** Traefik writes `request_User-Agent`. */
function capitalized(name: string): string {
  return name.replace(
    /(^|-)([a-z])/g,
    (_, before: string, letter: string) => before + letter.toUpperCase(),
  )
}

function withoutPort(address: string | undefined): string | undefined {
  if (address === undefined) return undefined
  const match = /^(?:\[(.+)\]|([^:]+)):\d+$/.exec(address)
  return match === null ? address : (match[1] ?? match[2])
}

function present(text: string | undefined): string | undefined {
  return text === '' || text === '-' ? undefined : text
}
