import { parts, type Part } from './request.js'
import { timeForms, type TimeForm } from './time.js'
import type { Escape } from './values.js'

/** The kind of a field: a part of a request, or one of the forms in which some formats write a part. `rest` is everything up to the end of the line. */
const forms = ['endpoint', 'date', 'clock', 'timers', 'list', 'text', 'rest'] as const
export type Role = Part | (typeof forms)[number]
const roles: readonly Role[] = [...parts, ...forms]

export interface Field {
  readonly name: string
  readonly role: Role
  readonly unit?: string | undefined
  readonly form?: TimeForm | undefined
  /** The names of the last entries of a list, and which of them from its end is the client. */
  readonly entries?: readonly string[] | undefined
  readonly entry?: number | undefined
}

/** A line of a format, from its first character to its last: fields, and the texts around them. */
export interface Pattern {
  readonly fields: readonly Field[]
  /** The text before each field, and after the last one. */
  readonly literals: readonly string[]
  readonly escape: Escape
}

/** A table of `name=role`, with the unit or the form of the field after a colon. */
function fieldsOf(text: string): ReadonlyMap<string, Omit<Field, 'name'>> {
  return new Map(
    text.split(' ').map((entry) => {
      const [name, given, detail] = entry.split(/[=:]/)
      const role = roles.find((one) => one === given) ?? 'text'
      return [name, { role, unit: detail, form: timeForms.find((one) => one === detail) }]
    }),
  )
}

/** The kinds of the variables of nginx and of our own declarations. All others are texts. */
const variables = fieldsOf(
  'remote_addr=ip client=endpoint forwarded=forwarded forwarded_list=list http_x_forwarded_for=forwarded proxy_add_x_forwarded_for=forwarded ' +
    'time_zoned=time:zoned time_local=time:clf time_iso8601=time:iso msec=time:unix end=time:iso start=start:iso accepted=start:clf ' +
    'request_time=duration:s duration_ms=duration:ms duration=duration timers=timers:ms request=request request_method=method request_uri=url uri=url status=status ' +
    'host=host http_host=host server_name=host remote_user=user body_bytes_sent=bytes bytes_sent=bytes bytes_received=bytes',
)

function variable(name: string): Field {
  return { name, ...(variables.get(name) ?? { role: 'text' }) }
}

/**
 * Compiles a `log_format` of nginx, such as `$remote_addr [$time_local] "$request" $status $request_time`.
 *
 * @throws Error if two variables have no text between them
 */
export function nginxPattern(text: string): Pattern {
  const parts: (string | Field)[] = []
  let at = 0
  for (const match of text.matchAll(/\$(?:\{(\w+)\}|(\w+))/g)) {
    const name = match[1] ?? match[2]
    parts.push(text.slice(at, match.index), variable(name))
    at = match.index + match[0].length
  }
  return patternOf([...parts, text.slice(at)])
}

/** The directives of Apache, with the names that nginx has for them. */
const directives = fieldsOf(
  'h=remote_addr a=remote_addr u=remote_user r=request m=request_method U=uri s=status b=bytes_sent B=bytes_sent O=bytes_sent v=host V=host',
)

/** Times of `%{…}t` that can be read. */
const apacheTimes: Readonly<Record<string, TimeForm>> = {
  sec: 'unix',
  msec: 'unix',
  usec: 'unix',
  '%d/%b/%Y:%H:%M:%S %z': 'clf',
  '%Y-%m-%dT%H:%M:%S%z': 'iso',
  '%Y-%m-%d %H:%M:%S %z': 'iso',
}

/**
 * Compiles a `LogFormat` of Apache, such as `%h %l %u %t "%r" %>s %b`.
 *
 * @throws Error if a time has a form that cannot be read
 */
export function apachePattern(text: string): Pattern {
  const format = text.replaceAll(String.raw`\"`, '"').replaceAll(String.raw`\t`, '\t')
  const parts: (string | Field)[] = []
  let at = 0
  for (const match of format.matchAll(
    /%[<>]?(?:!?\d{3}(?:,\d{3})*)?(?:\{([^}]*)\})?(\^t[io]|[a-zA-Z%])/g,
  )) {
    const [whole, argument, letter] = match
    parts.push(format.slice(at, match.index), ...apacheField(argument, letter))
    at = match.index + whole.length
  }
  return patternOf([...parts, format.slice(at)])
}

function apacheField(argument: string | undefined, letter: string): readonly (string | Field)[] {
  if (argument === undefined) {
    // %t is the time at which the request was received.
    if (letter === 't') return ['[', { role: 'start', name: 'time', form: 'clf' }, ']']
    if (letter === '%') return ['%']
    if (letter === 'D' || letter === 'T') return [durationIn(letter === 'D' ? 'us' : 's')]
    if (letter === 'q') return [{ role: 'query', name: 'query' }]
    return [variable(directives.get(letter)?.role ?? letter)]
  }
  const name = argument.toLowerCase().replaceAll('-', '_')
  if (letter === 'i') return [variable(`http_${name}`)]
  if (letter === 'T') return [durationIn(argument)]
  if (letter !== 't') return [{ role: 'text', name }]
  const form = apacheTimes[argument.replace(/^(?:begin|end):/, '')]
  if (form === undefined) {
    throw new Error(`--log-format: a time %{${argument}}t cannot be read: log %t, or %{msec}t`)
  }
  return [{ role: argument.startsWith('end:') ? 'time' : 'start', name: 'time', form }]
}

function durationIn(unit: string): Field {
  return { role: 'duration', name: 'duration', unit }
}

/** Joins texts that follow each other, and an address with its port. */
function patternOf(parts: readonly (string | Field)[], escape: Escape = 'backslash'): Pattern {
  const literals: string[] = ['']
  const fields: Field[] = []
  for (const part of parts) {
    const last = literals.length - 1
    const before = fields.at(-1)
    const names = before?.entries ?? (before === undefined ? [] : [before.name])
    if (typeof part === 'string') literals[last] += part
    else if (
      literals[last] === ', ' &&
      addressName.test(names[0] ?? '') &&
      literals[last - 1].endsWith('"')
    ) {
      fields[last - 1] = listOf([...names, part.name])
      literals[last] = ''
    } else if (before?.role === 'ip' && literals[last] === ':') {
      fields[last - 1] = { ...before, role: 'endpoint' }
      literals[last] = ''
    } else if (before !== undefined && literals[last] === '') {
      if (before.role !== 'url' || part.role !== 'query') {
        throw new Error(`--log-format: ${before.name} and ${part.name} need text between them`)
      }
    } else {
      fields.push(part)
      literals.push('')
    }
  }
  return { fields, literals, escape }
}

const addressName = /client|addr|ip$|forwarded/

/** A list whose last entries have names: in `"$client, $proxy"`, the last but one is the client. */
function listOf(entries: readonly string[]): Field {
  const client = entries.findIndex((name) => name === 'client' || name === 'remote_addr')
  const entry = client === -1 ? undefined : entries.length - client
  return { name: entries.join(', '), role: 'forwarded', entries, entry }
}

/** The pattern of a W3C log, whose line `#Fields:` names the fields. */
export function fieldsPattern(
  fields: readonly Field[],
  separator: string,
  escape: Escape,
): Pattern {
  return { fields, literals: ['', ...fields.slice(1).map(() => separator), ''], escape }
}

/** @throws Error if a replay needs a part that the pattern does not have */
export function assertComplete(name: string, { fields }: Pattern): void {
  const has = (...wanted: readonly Role[]): boolean =>
    fields.some(({ role }) => wanted.includes(role))
  const missing = !has('time', 'start', 'date')
    ? '$msec, $time_iso8601 or $time_local (%t)'
    : !has('status')
      ? '$status (%>s)'
      : !has('request') && !(has('method') && has('url'))
        ? '$request, or $request_method and $request_uri (%r)'
        : undefined
  if (missing !== undefined) throw new Error(`--log-format ${name}: a replay needs ${missing}`)
}
