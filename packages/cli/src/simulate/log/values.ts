import { addressSortKey, ipKey } from '@sluice/core/http'

// The only functions that give the text of a log a meaning. Each returns undefined for a text that has none.

/** The address of a client. Only `readAddress` and `readForwarded` make one. */
export interface Address {
  /** Without its port, zone and brackets. */
  readonly text: string
  /** The client as `byIp()` counts it: an IPv6 address counts as its subnet. */
  readonly client: string
}

/** Parsing takes longer than a decision, and most lines have an address of a line before. */
const known = new Map<string, Address>()
const maxKnown = 100_000
const longestAddress = 80
let lastText = ''
let lastAddress: Address | undefined

function knownAddress(text: string): Address | undefined {
  if (text === lastText && lastAddress !== undefined) return lastAddress
  lastText = text
  lastAddress = known.get(text)
  return lastAddress
}

/** An IPv4 or IPv6 address, with or without a port (`1.2.3.4:80`, `[::1]:80`) and a zone (`fe80::1%eth0`). */
export function readAddress(text: string): Address | undefined {
  const found = knownAddress(text)
  if (found !== undefined) return found
  // Only IPv6 has zones.
  const isWrong = text.length > longestAddress || /^[^:]*%|%$/.test(text)
  if (isWrong || addressSortKey(text) === undefined) return undefined
  if (known.size >= maxKnown) known.clear()
  // A slice of the log would keep the log in memory.
  const copy = Buffer.from(text, 'latin1').toString('latin1')
  const plain = copy.replace(/^\[([^\]]*)\](?::\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1')
  const address = { text: plain.replace(/%.*$/, ''), client: ipKey(copy).slice('ip:'.length) }
  known.set(copy, address)
  return address
}

/** An address and its port: `1.2.3.4:80`, `[::1]:80`, and also `::1:80`, whose last part is the port. */
export function readEndpoint(text: string): Address | undefined {
  const colon = text.lastIndexOf(':')
  const isPort = /^\d+$/.test(text.slice(colon + 1))
  return colon > 0 && isPort ? readAddress(text.slice(0, colon)) : undefined
}

/**
 * The client of a list such as `X-Forwarded-For`. A list of several addresses says nothing without the choice of one.
 *
 * @param choice `first`, or the number of proxies that add an address: 1 is the last one. As on the server, a shorter list is read from its start
 */
export function readForwarded(
  text: string,
  choice: 'first' | number | undefined,
): Address | 'list' | undefined {
  const found = knownAddress(text)
  if (found !== undefined) return found
  if (!text.includes(',')) return readAddress(text.trim())
  if (choice === undefined) return 'list'
  const list = text.split(',')
  const chosen = choice === 'first' ? list[0] : list.at(-Math.min(choice, list.length))
  return readAddress(chosen?.trim() ?? '')
}

/** The three digits of a status, or -1. */
export function readStatus(text: string): number {
  const status = text.length === 3 ? digitsIn(text, 0, 3) : Number.NaN
  return status >= 100 ? status : -1
}

/** The number that the digits in a part of a text are, or NaN. */
export function digitsIn(text: string, from: number, to: number): number {
  let value = 0
  for (let i = from; i < to; i++) {
    const digit = text.charCodeAt(i) - 48
    if (!(digit >= 0 && digit <= 9)) return Number.NaN
    value = 10 * value + digit
  }
  return value
}

const requestLine = /^([!-~]+) ((?:\/|[a-z][a-z0-9+.-]*:\/\/|\*(?= HTTP\/)).*) HTTP\/[\d.]+$/is

/** Whether a text is `GET /path HTTP/1.1`. */
export function isRequestLine(text: string): boolean {
  // The expression for all forms looks at each character of the target.
  return (text.endsWith(' HTTP/1.1') && /^[!-~]+ \//.test(text)) || requestLine.test(text)
}

/** The method and the target of `GET /path HTTP/1.1`. */
export function readRequestLine(
  text: string,
): { readonly method: string; readonly target: string } | undefined {
  const [, method, target] = requestLine.exec(text) ?? []
  return method === undefined ? undefined : { method, target }
}

/** Whether a text is a path, or an absolute URL. */
export function isTarget(text: string): boolean {
  return /^(?:\/|\*$|[a-z][a-z0-9+.-]*:\/\/)/i.test(text)
}

/** The path and query of a target; of an absolute URL also the host. */
export function readTarget(url: string): { readonly url: string; readonly host?: string } {
  if (url.startsWith('/')) return { url }
  const [, host, path] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)(.*)$/is.exec(url) ?? []
  if (host === undefined) return { url }
  return { url: path.startsWith('/') ? path : `/${path}`, host: readHost(host.replace(/^.*@/, '')) }
}

/** A host without its port. */
export function readHost(text: string): string {
  return text.replace(/:\d*$/, '')
}

/** The milliseconds of one unit of a duration. */
export const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
}

/** Adds a unit to a duration that states none. */
export function withUnit(text: string, unit: string | undefined): string {
  return /\d$/.test(text) ? `${text}${unit ?? ''}` : text
}

/** A duration in milliseconds. Without its unit it has no meaning. */
export function readDuration(text: string): number | undefined {
  const match = /^\+?(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*(ns|us|µs|ms|s)$/.exec(text)
  return match === null ? undefined : Math.round(Number(match[1]) * units[match[2]])
}

/** A number of bytes. */
export function readCount(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** Decodes a field as UTF-8. Each character of `bytes` is one byte. */
export function textOf(bytes: string): string {
  for (let i = 0; i < bytes.length; i++) {
    if (bytes.charCodeAt(i) > 127) return Buffer.from(bytes, 'latin1').toString('utf8')
  }
  return bytes
}

/** Copies a text. A slice would keep the whole text from which it was cut in memory. */
export function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}

/** How a format writes bytes that would end a field. */
export type Escape = 'backslash' | 'plus' | 'percent'

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', v: '\v' }

/** The text of a field. Undefined for `-` and for an empty one. */
export function decoded(bytes: string, escape: Escape): string | undefined {
  if (bytes === '-' || bytes === '') return undefined
  if (escape === 'plus') return textOf(bytes.replaceAll('+', ' '))
  const [sign, pattern] =
    escape === 'percent' ? ['%', /%([0-9a-f]{2})()/gi] : ['\\', /\\(?:x([0-9a-fA-F]{2})|(.))/g]
  if (!bytes.includes(sign)) return textOf(bytes)
  return textOf(
    bytes.replace(pattern, (_, hex: string | undefined, letter: string) =>
      hex === undefined
        ? (escapes[letter] ?? letter)
        : String.fromCharCode(Number.parseInt(hex, 16)),
    ),
  )
}
