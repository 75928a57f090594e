import { textOf } from './values.js'

export type JsonObject = Readonly<Record<string, unknown>>

/** The object in a line. Each character of `bytes` is one byte. */
export function objectIn(bytes: string): JsonObject | undefined {
  if (!bytes.startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes, 'latin1').toString('utf8'))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const router = /^(\S+) heroku\[router\]: ((?:[a-z_]+=(?:"[^"]*"|[^\s"]*)(?: |$))+)$/

/** The pairs in `2026-11-20T09:00:00+00:00 heroku[router]: method=GET path="/" …`. */
export function pairsIn(bytes: string): JsonObject | undefined {
  const [, time, pairs] = router.exec(bytes) ?? []
  if (pairs === undefined) return undefined
  const found = pairs.matchAll(/([a-z_]+)=(?:"([^"]*)"|(\S*))/g)
  return Object.fromEntries([
    ['time', time],
    ...[...found].map(([, name, quoted, word]) => [name, textOf(quoted ?? word)] as const),
  ])
}

/** Tries a name with dots as a whole before it tries it as a path. */
export function valueAt(line: JsonObject, path: readonly string[]): unknown {
  const whole = path.length === 1 ? path[0] : path.join('.')
  if (Object.hasOwn(line, whole)) return line[whole]
  let value: unknown = line
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

const headerPlaces = ['headers', 'req.headers', 'request.headers', 'meta.req.headers'].map((text) =>
  text.split('.'),
)

export function headerOf(line: JsonObject, name: string): string | undefined {
  for (const place of headerPlaces) {
    const headers = valueAt(line, place)
    if (!isObject(headers)) continue
    for (const [given, value] of Object.entries(headers)) {
      if (given.toLowerCase() === name)
        return present(textual(Array.isArray(value) ? value.join(', ') : value))
    }
  }
  const variable = name.replaceAll('-', '_')
  // Traefik writes `request_User-Agent`, Cloudflare `ClientRequestUserAgent`, Vercel `proxy.userAgent`.
  const words = name.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  const camel = words.join('')
  const names = [
    `http_${variable}`,
    `request_${words.join('-')}`,
    variable,
    name,
    `ClientRequest${camel}`,
    `proxy.${camel.charAt(0).toLowerCase()}${camel.slice(1)}`,
  ]
  for (const given of names) {
    const value = valueAt(line, given.split('.'))
    const text = textual(Array.isArray(value) ? value.join(', ') : value)
    if (text !== undefined) return present(text)
  }
  return undefined
}

export function textual(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? `${value}` : undefined
}

export function present(text: string | undefined): string | undefined {
  return text === '' || text === '-' ? undefined : text
}

/** The names of the values in an object; those of inner objects as paths. */
export function pathsIn(object: JsonObject, depth: number = 1): readonly string[] {
  return Object.entries(object).flatMap(([name, value]) =>
    isObject(value) && depth < 3
      ? pathsIn(value, depth + 1).map((inner) => `${name}.${inner}`)
      : [name],
  )
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
