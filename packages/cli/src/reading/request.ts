import { addressSortKey } from '@sluice/core/http'
import { nearestWord } from '@sluice/core/internal'
import { type RuleContext, type RulesDocument, RulesError } from '@sluice/rules'
import { valueFromText } from '@sluice/rules/check'
import { InvalidArgumentError, type Command } from 'commander'

/** The options that describe a request. */
export interface RequestOptions {
  readonly request?: RequestLine
  readonly ip?: string
  readonly host?: string
  readonly route?: string
  readonly header?: readonly NameAndText[]
  readonly cookie?: readonly NameAndText[]
  readonly value?: readonly NameAndText[]
  /** Milliseconds since the epoch. */
  readonly at?: number
}

interface RequestLine {
  readonly method: string
  readonly url: string
  /** The host of an absolute URL. */
  readonly host: string | undefined
}

export type NameAndText = readonly [name: string, text: string]

/** Adds the options that describe a request. */
export function withRequestOptions(command: Command): Command {
  return command
    .option('--request <line>', 'method and URL, such as "POST /api/items?page=2"', requestLine)
    .option('--ip <address>', 'address of the client', address)
    .option('--host <name>', 'host name of the request')
    .option('--route <pattern>', "the framework's route pattern, such as /users/:id")
    .option('--header <name: value>', 'request header; repeatable', pair(':', 'name: value'))
    .option('--cookie <name=value>', 'cookie; repeatable', pair('=', 'name=value'))
    .option(
      '--value <name=value>',
      'value that the document declares; repeatable',
      pair('=', 'name=value'),
    )
    .option('--at <time>', 'time of the request, such as 2026-10-01T22:30:00+02:00', time)
}

/** The request as rules read it. A value that does not fit its declaration ends the command. */
export function contextOf(
  options: RequestOptions,
  document: RulesDocument,
  command: Command,
): RuleContext {
  const { request, ip, host, route, header = [], cookie = [], value = [] } = options
  const headers = new Map<string, string>()
  for (const [name, text] of header) {
    const key = name.toLowerCase()
    const known = headers.get(key)
    headers.set(key, known === undefined ? text : `${known}, ${text}`)
  }
  if (headers.has('cookie')) {
    command.error('error: state cookies with --cookie name=value')
  }
  const pairs = cookie.map(([name, text]) => `${name}=${text}`)
  if (pairs.length > 0) headers.set('cookie', pairs.join('; '))
  const sentHost = host ?? headers.get('host') ?? request?.host
  if (sentHost !== undefined) headers.set('host', sentHost)
  return {
    ...Object.fromEntries(value.map(([name, text]) => [name, declaredValue(name, text)])),
    method: request?.method,
    url: request?.url,
    route,
    host: sentHost,
    ip,
    headers: Object.fromEntries(headers),
    // Servers read the first of several cookies with one name.
    cookies: Object.fromEntries(cookie.toReversed()),
  }

  function declaredValue(name: string, text: string): unknown {
    try {
      return valueFromText(document, name, text)
    } catch (error) {
      if (!(error instanceof RulesError)) throw error
      const names = Object.keys(document.values ?? {})
      const meant = names.includes(name) ? undefined : nearestWord(name, names)
      const hint = meant === undefined ? '' : `\n(Did you mean ${meant}?)`
      return command.error(`error: --value ${name}: ${error.message}${hint}`)
    }
  }
}

function requestLine(text: string): RequestLine {
  const words = text.trim().split(/\s+/)
  const [method, url] = words.length === 1 ? ['GET', words[0]] : words
  if (words.length > 2 || !/^[a-z]+$/i.test(method) || !/^(?:\/|https?:\/\/)/i.test(url)) {
    throw new InvalidArgumentError('Write a method and a path, such as "POST /api/items".')
  }
  const [, host, path] = /^https?:\/\/([^/?#]+)(.*)$/i.exec(url) ?? [undefined, undefined, url]
  return { method: method.toUpperCase(), url: path.startsWith('/') ? path : `/${path}`, host }
}

function address(text: string): string {
  if (addressSortKey(text) !== undefined) return text
  throw new InvalidArgumentError('Write an IPv4 or IPv6 address, such as 203.0.113.9.')
}

/** Reads pairs of an option that can be repeated. */
export function pair(
  separator: string,
  form: string,
): (text: string, earlier?: readonly NameAndText[]) => readonly NameAndText[] {
  return (text, earlier = []) => {
    const at = text.indexOf(separator)
    if (at <= 0) throw new InvalidArgumentError(`Write it as "${form}".`)
    return [...earlier, [text.slice(0, at).trim(), text.slice(at + 1).trim()]]
  }
}

function time(text: string): number {
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) {
    throw new InvalidArgumentError('Write a date and a time, such as 2026-10-01T22:30:00+02:00.')
  }
  return ms
}
