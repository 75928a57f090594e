import type { LineReader } from '../../src/simulate/log/record.js'
import { readerOf } from './log/lines.js'

/** A request that every format can write. Texts are bytes: each character is one byte. */
export interface Logged {
  /** The end of the request. */
  readonly time: number
  /** Minutes east of UTC, in formats whose times have a zone. */
  readonly zone: number
  readonly durationMs: number
  readonly ip: string
  readonly host: string
  readonly user: string | undefined
  readonly method: string
  readonly url: string
  readonly status: number
  readonly bytes: number | undefined
  readonly agent: string | undefined
  readonly referer: string | undefined
}

export type Field = keyof Omit<Logged, 'zone'>

/** A format of logs, and how a server writes a line in it. */
export interface LogFormat {
  readonly name: string
  /** The lines before the first request. */
  readonly head: string
  createReader(): LineReader
  /** The line as bytes, one in each character. */
  write(request: Logged): string
  /** The fields that the format has. Times of formats without fractions have whole seconds. */
  readonly fields: readonly Field[]
  readonly wholeSeconds: boolean
}

const nginxFormat =
  '$remote_addr $remote_user $host [$time_iso8601] "$request" $status $body_bytes_sent $request_time "$http_referer" "$http_user_agent"'

const basic = ['time', 'ip', 'method', 'url', 'status', 'bytes'] as const

export const formats: readonly LogFormat[] = [
  {
    name: 'combined',
    head: '',
    createReader: () => readerOf('combined'),
    write: (request) =>
      `${commonLine(request)} "${escaped(request.referer)}" "${escaped(request.agent)}"`,
    fields: [...basic, 'user', 'agent', 'referer'],
    wholeSeconds: true,
  },
  {
    name: 'common',
    head: '',
    createReader: () => readerOf('common'),
    write: commonLine,
    fields: [...basic, 'user'],
    wholeSeconds: true,
  },
  {
    name: 'json',
    head: '',
    createReader: () => readerOf('json'),
    write: jsonLine,
    fields: [...basic, 'user', 'agent', 'referer', 'host', 'durationMs'],
    wholeSeconds: false,
  },
  {
    name: 'alb',
    head: '',
    createReader: () => readerOf('alb'),
    write: albLine,
    fields: [...basic, 'agent', 'host', 'durationMs'],
    wholeSeconds: false,
  },
  {
    name: 'cloudfront',
    head: '#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query x-host-header time-taken\n',
    createReader: () => readerOf('cloudfront'),
    write: cloudFrontLine,
    fields: [...basic, 'agent', 'referer', 'host', 'durationMs'],
    wholeSeconds: true,
  },
  {
    name: 'w3c',
    head: '#Software: Microsoft Internet Information Services 10.0\n#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) cs-host sc-status sc-bytes time-taken\n',
    createReader: () => readerOf('w3c'),
    write: iisLine,
    fields: [...basic, 'user', 'agent', 'referer', 'host', 'durationMs'],
    wholeSeconds: true,
  },
  {
    name: 'nginx',
    head: '',
    createReader: () => readerOf(nginxFormat),
    write: nginxLine,
    fields: [...basic, 'user', 'agent', 'referer', 'host', 'durationMs'],
    wholeSeconds: true,
  },
]

export function formatOptions({ name }: LogFormat): { readonly nginxFormat?: string } {
  return name === 'nginx' ? { nginxFormat } : {}
}

function commonLine(request: Logged): string {
  const { ip, user = '-', method, url, status, bytes = '-' } = request
  return `${ip} - ${user} [${apacheTime(request)}] "${method} ${escaped(url)} HTTP/1.1" ${status} ${bytes}`
}

function jsonLine(request: Logged): string {
  const { durationMs, ip, host, user, method, url, status, bytes, agent, referer } = request
  const time = isoTime(request)
  const headers = { 'User-Agent': agent ?? '-', Referer: referer ?? '-' }
  return JSON.stringify({ time, durationMs, ip, host, user, method, url, status, bytes, headers })
}

function albLine(request: Logged): string {
  const { time, durationMs, ip, host, method, url, status, bytes = '-', agent } = request
  const client = ip.includes(':') ? `[${ip}]:2817` : `${ip}:2817`
  const arrival = new Date(time - durationMs).toISOString().replace('Z', '000Z')
  const end = new Date(time).toISOString().replace('Z', '000Z')
  return (
    `https ${end} app/web/50dc6c495c0c9188 ${client} 10.0.0.1:80 0.000 ${durationMs / 1000} 0.000 ${status} ${status} 34 ${bytes} ` +
    `"${method} https://${host}:443${escaped(url)} HTTP/1.1" "${escaped(agent)}" ECDHE TLSv1.2 arn:aws:x "Root=1-2" "${host}" "arn:aws:y" 1 ${arrival} "forward" "-" "-"`
  )
}

function cloudFrontLine(request: Logged): string {
  const { time, durationMs, ip, host, method, url, status, bytes = '-', agent, referer } = request
  const [path, query = '-'] = divided(url)
  const [date, clock] = new Date(time).toISOString().split('T')
  const seconds = (durationMs / 1000).toFixed(3)
  return [
    date,
    clock.slice(0, 8),
    'SFO5',
    bytes,
    ip,
    method,
    'd1.cloudfront.example',
    path,
    status,
    percentEncoded(referer),
    percentEncoded(agent),
    query,
    host,
    seconds,
  ].join('\t')
}

function iisLine(request: Logged): string {
  const { time, durationMs, ip, host, user = '-', method, url, status, bytes, agent } = request
  const [path, query = '-'] = divided(url)
  const [date, clock] = new Date(time).toISOString().split('T')
  const text = (value: string | undefined): string => value?.replaceAll(' ', '+') ?? '-'
  return [
    date,
    clock.slice(0, 8),
    '10.0.0.1',
    method,
    path,
    query,
    443,
    user,
    ip,
    text(agent),
    text(request.referer),
    host,
    status,
    bytes ?? '-',
    durationMs,
  ].join(' ')
}

function nginxLine(request: Logged): string {
  const { ip, user = '-', host, method, url, status, bytes = '-', durationMs } = request
  const seconds = (durationMs / 1000).toFixed(3)
  const [referer, agent] = [escaped(request.referer), escaped(request.agent)]
  return `${ip} ${user} ${host} [${isoTime(request).replace('.000', '')}] "${method} ${escaped(url)} HTTP/1.1" ${status} ${bytes} ${seconds} "${referer}" "${agent}"`
}

/** As Apache and nginx write it: bytes outside of ASCII as `\xC3`. */
function escaped(bytes: string | undefined): string {
  if (bytes === undefined) return '-'
  return bytes.replace(/["\\]/g, '\\$&').replace(/[^ -~]/g, (byte) => `\\x${hexOf(byte)}`)
}

function percentEncoded(bytes: string | undefined): string {
  return bytes?.replace(/[^!-$&-~]/g, (byte) => `%${hexOf(byte)}`) ?? '-'
}

function hexOf(byte: string): string {
  return byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')
}

function divided(url: string): readonly string[] {
  const at = url.indexOf('?')
  return at === -1 ? [url] : [url.slice(0, at), url.slice(at + 1)]
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function apacheTime(request: Logged): string {
  const [date, time] = isoTime(request).split('T')
  const [year, month, day] = date.split('-')
  const zone = zoneText(request.zone).replace(':', '')
  return `${day}/${months[Number(month) - 1]}/${year}:${time.slice(0, 8)} ${zone}`
}

/** The local time with its zone. */
function isoTime({ time, zone }: Logged): string {
  const local = new Date(time + zone * 60_000).toISOString()
  return local.replace('Z', zoneText(zone))
}

function zoneText(minutes: number): string {
  const two = (value: number): string => `${Math.floor(value)}`.padStart(2, '0')
  const size = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${two(size / 60)}:${two(size % 60)}`
}
