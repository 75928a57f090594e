/** The statements of a line, read by the definition of its vendor in the plainest way. It takes many lines that are wrong. */
export interface Stated {
  readonly time: number
  readonly ms: number | undefined
  readonly ip: string | undefined
  readonly method: string
  readonly url: string
  readonly status: number
  readonly agent: string | undefined
}

type Texts = Readonly<
  Partial<
    Record<
      'time' | 'start' | 'ms' | 'ip' | 'request' | 'method' | 'url' | 'status' | 'agent',
      unknown
    >
  >
>

/** Reads a line, which can have halves. Undefined if it cannot be the line of a request. */
export function statedIn(format: string, head: string, line: string): Stated | undefined {
  const texts = columns.has(format)
    ? ofColumns(format, head, line)
    : (ofJson(format, line) ?? ofWords(format, line))
  return texts === undefined ? undefined : meaningOf(texts)
}

function meaningOf({ time, start, ms, ip, request, method, url, status, agent }: Texts): Stated {
  const end = timeOf(time)
  const begin = timeOf(start)
  const taken =
    inMs(ms, 1) ?? (end === undefined || begin === undefined ? undefined : Math.max(0, end - begin))
  const rounded = taken === undefined ? undefined : Math.round(taken)
  const words = textOf(request).split(' ')
  const target = url === undefined ? words.slice(1, -1).join(' ') : textOf(url)
  return {
    time: end ?? (begin ?? Number.NaN) + (rounded ?? 0),
    ms: rounded,
    ip: present(ip)
      ?.trim()
      .replace(/^(\[.*\]|[\d.]+):\d+$/, '$1')
      .replace(/^\[(.*)\]$/, '$1')
      .replace(/(:.*)%.+$/, '$1'),
    method: method === undefined ? words[0] : textOf(method),
    url: target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*\/?/i, '/'),
    status: Number(status),
    agent: present(agent),
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : ''
}

function present(value: unknown): string | undefined {
  const text = textOf(Array.isArray(value) ? value.join(', ') : value)
  return text === '' || text === '-' ? undefined : text
}

/** A text of Apache or of ISO 8601, which is UTC if it has no zone; or a number, in the unit for which Caddy and pino can be configured. */
function timeOf(value: unknown): number | undefined {
  if (typeof value === 'number') {
    const digits = `${Math.floor(value)}`.length
    return digits <= 10
      ? Math.round(value * 1000)
      : Math.floor(value / 1000 ** Math.floor((digits - 11) / 3))
  }
  const text = present(value)
  if (text === undefined) return undefined
  const [, day, clock, fraction = '', zone = '+0000'] =
    /^(.*?)[:T \t](\d\d:\d\d:\d\d)([.,]\d+)?(?: ?(.*))$/.exec(text) ?? []
  if (day === undefined) return Date.parse(text)
  const isLeap = clock.endsWith(':60')
  const ms = Math.floor(Number(`0${fraction.replace(',', '.')}`) * 1000 + 1e-6)
  const plain = `${day.replaceAll('/', ' ').replace(/^\w{3}, /, '')} ${isLeap ? clock.replace(/60$/, '59') : clock} ${
    zone === ''
      ? '+0000'
      : zone
          .replace(/^[zZ]$/, '+0000')
          .replace(/^(GMT|UTC)$/, '+0000')
          .replace(/(\d\d):(\d\d)$/, '$1$2')
  }`
  return Date.parse(plain) + ms + (isLeap ? 1000 : 0)
}

const columns = new Set(['cloudfront', 'w3c'])

function ofColumns(format: string, head: string, line: string): Texts {
  const [, names = ''] = /#Fields: (.*)/.exec(head) ?? []
  const values = line.split(format === 'w3c' ? ' ' : '\t')
  const value = (name: string): string | undefined => values[names.split(' ').indexOf(name)]
  const query = present(value('cs-uri-query'))?.replace(/^\?/, '')
  return {
    time: `${value('date')} ${value('time')}`,
    ms: inMs(value('time-taken'), format === 'w3c' ? 1 : 1000),
    ip: value('c-ip'),
    method: value('cs-method'),
    url: `${value('cs-uri-stem')}${query === undefined ? '' : `?${query}`}`,
    status: value('sc-status'),
    agent: value('cs(User-Agent)'),
  }
}

/** The fields of a line: words, texts in quotes, and texts in brackets. */
function wordsIn(line: string): readonly string[] {
  const found = line.matchAll(/(?:"((?:[^"\\]|\\.)*)"|(\[[^\]]*\])|([^ ]+))(?= |$)/gs)
  return Array.from(found, ([, quoted, bracketed, word]) => quoted ?? bracketed ?? word)
}

function ofWords(format: string, line: string): Texts | undefined {
  const words = wordsIn(line)
  const at = words.findIndex((word) => /^\[.*\]$/.test(word))
  const time = words[at]?.slice(1, -1)
  switch (format) {
    case 'haproxy': {
      const total = words[at + 3]?.split('/')[4]?.replace('+', '')
      return {
        start: time,
        ms: Number(total) === -1 ? undefined : total,
        ip: words[at - 1]?.replace(/:\d+$/, ''),
        // Captured headers have no quotes around them, and can have some in them.
        request: / "((?:[^"\\]|\\.)*)"$/s.exec(line)?.[1],
        status: words[at + 4],
      }
    }
    case 'alb':
      return {
        time: words[1],
        start: words[21],
        ip: words[3].replace(/:\d+$/, ''),
        request: words[12],
        status: words[8],
        agent: words[13],
      }
    case 'envoy':
      return {
        start: time,
        request: words[1],
        status: words[2],
        ms: words[6],
        ip: words[8],
        agent: words[9],
      }
    case 'heroku': {
      const pairs = new Map(
        Array.from(
          line.matchAll(/(?<= )([a-z_]+)=(?:"([^"]*)"|(\S*))/g),
          ([, name, quoted, word]) => [name, quoted ?? word],
        ),
      )
      const get = (name: string): string | undefined => pairs.get(name)
      const ms = inMs(get('service'), Number.NaN)
      return {
        time: words[0],
        ms,
        ip: get('fwd'),
        method: get('method'),
        url: get('path'),
        status: get('status'),
      }
    }
    default:
      return ofApache(format, line)
  }
}

/** The lines of Apache and nginx. A name of a user can contain anything. */
function ofApache(format: string, line: string): Texts | undefined {
  const [, before, time, rest] =
    /^(.*?) \[(\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})\] (.*)$/s.exec(line) ?? []
  if (before === undefined) return undefined
  const words = wordsIn(rest)
  const last = words.at(-1)
  const isTraefik = format === 'traefik_common'
  const ms = format.endsWith('_time') ? inMs(last, 1000) : undefined
  return {
    time,
    ms: isTraefik ? inMs(last, Number.NaN) : ms,
    ip: before.split(' ')[format.startsWith('vhost') ? 1 : 0],
    request: words[0],
    status: words[1],
    agent: format.endsWith('common') && !isTraefik ? undefined : words[4],
  }
}

type Json = Readonly<Record<string, unknown>>

/** The members of JSON lines, by the pages of their writers. */
const members: Readonly<Record<string, (line: Json) => Texts>> = {
  caddy: (line) => ({
    time: line['ts'],
    ms: inMs(line['duration'], 1000),
    ip: at(line, 'request.client_ip'),
    method: at(line, 'request.method'),
    url: at(line, 'request.uri'),
    status: line['status'],
    agent: at(line, 'request.headers.User-Agent'),
  }),
  traefik: (line) => ({
    start: line['StartUTC'],
    ms: inMs(line['Duration'], 1e-6),
    ip: line['ClientHost'],
    method: line['RequestMethod'],
    url: line['RequestPath'],
    status: line['DownstreamStatus'],
    agent: line['request_User-Agent'],
  }),
  envoy_json: (line) => ({
    start: line['start_time'],
    ms: line['duration'],
    ip: line['downstream_remote_address'],
    method: line['method'],
    url: line['path'],
    status: line['response_code'],
    agent: line['user_agent'],
  }),
  nginx_json: (line) => ({
    time: line['time_iso8601'],
    ms: inMs(line['request_time'], 1000),
    ip: line['remote_addr'],
    request: line['request'],
    status: line['status'],
    agent: line['http_user_agent'],
  }),
  cloudflare: (line) => ({
    time: line['EdgeEndTimestamp'],
    start: line['EdgeStartTimestamp'],
    ip: line['ClientIP'],
    method: line['ClientRequestMethod'],
    url: line['ClientRequestURI'],
    status: line['EdgeResponseStatus'],
    agent: line['ClientRequestUserAgent'],
  }),
  vercel: (line) => ({
    start: at(line, 'proxy.timestamp'),
    ip: at(line, 'proxy.clientIp'),
    method: at(line, 'proxy.method'),
    url: at(line, 'proxy.path'),
    status: at(line, 'proxy.statusCode'),
    agent: at(line, 'proxy.userAgent'),
  }),
  pino: (line) => ({
    time: line['time'],
    ms: line['responseTime'] ?? line['latency'],
    ip: at(line, 'req.remoteAddress') ?? line['remoteAddress'],
    method: at(line, 'req.method'),
    url: at(line, 'req.url'),
    status: at(line, 'res.statusCode'),
    agent: at(line, 'req.headers.user-agent'),
  }),
  winston: (line) => {
    const meta = { ...line, ...(memberOf(line, 'meta') as Json) }
    return {
      time: line['timestamp'] ?? line['time'],
      ms: meta['responseTime'],
      ip: at(meta, 'req.ip'),
      method: at(meta, 'req.method'),
      url: present(at(meta, 'req.originalUrl')) ?? at(meta, 'req.url'),
      status: at(meta, 'res.statusCode'),
      agent: at(meta, 'req.headers.user-agent'),
    }
  },
  json: (line) => ({
    time: line['date'],
    ms: line['response-time'],
    ip: line['remote-addr'] ?? line['remote_addr'],
    method: line['method'],
    url: line['url'] ?? line['uri'],
    status: line['status'],
    agent: line['user-agent'],
  }),
}

function ofJson(format: string, text: string): Texts | undefined {
  const read = members[format]
  if (read === undefined) return undefined
  // Of more than two halves, the second is the first with a status.
  const [first, ...others] = text
    .split('\n')
    .map(objectIn)
    .filter((half) => half !== undefined)
  const second = others.find((half) => at(half, 'res.statusCode') !== undefined)
  return read({ ...first, ...second })
}

function objectIn(line: string): Json | undefined {
  try {
    return JSON.parse(Buffer.from(line, 'latin1').toString('utf8')) as Json
  } catch {
    return undefined
  }
}

function at(line: Json, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => memberOf(value, name), line)
}

/** Names of headers have no case. */
function memberOf(value: unknown, name: string): unknown {
  const found = Object.entries((value ?? {}) as Json)
  const isHeader = /^user-agent$/i.test(name)
  return found.find(([one]) =>
    isHeader ? one.toLowerCase() === name.toLowerCase() : one === name,
  )?.[1]
}

/** A duration: a number in a unit of so many milliseconds, or with its unit, such as `18ms`. */
function inMs(value: unknown, factor: number): number | undefined {
  if (present(value) === undefined || value === -1) return undefined
  const [, number, unit] =
    /^\+?(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*(ns|us|µs|ms|s)?$/.exec(textOf(value)) ?? []
  return Number(number) * (unit === undefined ? factor : (units[unit] ?? Number.NaN))
}

const units: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000 }
