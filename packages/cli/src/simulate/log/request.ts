import { BadLine, type LogRecord, type Meaning, type Reading } from './record.js'
import { isPossible, type TimeReader } from './time.js'
import {
  isRequestLine,
  isTarget,
  readCount,
  readDuration,
  readEndpoint,
  readForwarded,
  readHost,
  readRequestLine,
  readStatus,
  readTarget,
  type Address,
} from './values.js'

/** The parts of a request that a line can state. */
export const parts = [
  'time',
  'start',
  'duration',
  'request',
  'method',
  'url',
  'query',
  'status',
  'ip',
  'forwarded',
  'host',
  'user',
  'bytes',
] as const
export type Part = (typeof parts)[number]

/** The reason why a list gives no address. */
export const severalAddresses = 'several addresses'

/** Gives the texts of a line their meaning. All formats are read here. */
export function readRequest(raw: LoggedRequest, times: TimeReader): Reading {
  const taken = raw.get('duration')
  let durationMs = taken === undefined ? undefined : readDuration(taken)
  if (taken !== undefined && durationMs === undefined)
    return wrong(raw, 'no duration with a unit', 'duration')
  const end = raw.get('time')
  const begin = raw.get('start')
  if (end === undefined && begin === undefined) return wrong(raw, 'no time', 'time')
  // Without a duration, the end of a request is not known from its start.
  if (end === undefined && durationMs === undefined && raw.has('duration'))
    return wrong(raw, 'no duration', 'duration')
  const stated = end === undefined ? 'start' : 'time'
  let time = times.read(end ?? begin ?? '')
  const start = end === undefined || begin === undefined ? undefined : times.read(begin)
  if (Number.isNaN(time) || Number.isNaN(start)) return wrong(raw, 'no time', stated)
  if (end === undefined) time += durationMs ?? 0
  else if (start !== undefined) durationMs ??= Math.max(0, time - start)
  if (!isPossible(time) || !isPossible(time - (durationMs ?? 0)))
    return wrong(raw, 'impossible time', stated)
  const address = addressOf(raw, raw.meaning.address)
  if (address instanceof BadLine) return address
  const code = raw.get('status') ?? '0'
  const status = readStatus(code)
  // The connection ended before the response.
  if (status === -1)
    return /^(?:0|000|-1)$/.test(code) ? 'no status' : wrong(raw, 'no status', 'status')
  const url = raw.get('method') === undefined ? undefined : raw.get('url')
  if (url === undefined && !isRequestLine(raw.get('request') ?? '')) return 'not HTTP'
  if (url !== undefined && !isTarget(url)) return wrong(raw, 'no path', 'url')
  raw.time = time
  raw.durationMs = durationMs
  raw.at = time - (durationMs ?? 0)
  raw.status = status
  raw.address = address
  return raw
}

function wrong(raw: LoggedRequest, reason: string, part: Part): BadLine {
  return new BadLine(reason, raw.startOf(part), true)
}

/** The method and the target of a request. Undefined if the line is none. */
function lineOf(
  raw: LoggedRequest,
): { readonly method: string; readonly target: string } | undefined {
  const method = raw.get('method')
  const target = raw.text('url')
  if (method !== undefined && target !== undefined) return { method, target }
  return readRequestLine(raw.text('request') ?? '')
}

function addressOf(raw: LoggedRequest, given: Meaning['address']): Address | BadLine | undefined {
  const choice = given ?? raw.entry
  const remote = raw.get('ip')
  const usesList = choice !== 'remote' && (choice !== undefined || remote === undefined)
  const list = usesList ? raw.get('forwarded') : undefined
  const part = list === undefined ? 'ip' : 'forwarded'
  const text = list ?? remote
  if (text === undefined) return undefined
  if (part === 'ip' && raw.port === 'always')
    return readEndpoint(text) ?? wrong(raw, 'no address', part)
  const found = readForwarded(text, choice === 'remote' ? undefined : choice)
  if (found === 'list') return wrong(raw, severalAddresses, part)
  // A server writes the address of a connection without its port.
  const isBare = part === 'forwarded' || raw.port === 'any' || found?.text.length === text.length
  return found !== undefined && (isBare || /[,%]/.test(text))
    ? found
    : wrong(raw, 'no address', part)
}

/** A line, whose texts have a meaning once `readRequest` has read it. It reads other parts when they are asked for: most of them never are. */
export abstract class LoggedRequest implements LogRecord {
  at = 0
  time = 0
  durationMs: number | undefined = undefined
  status = 0
  address: Address | undefined = undefined
  readonly meaning: Meaning

  constructor(meaning: Meaning) {
    this.meaning = meaning
  }

  /** The text of a part, with its escapes, and of a duration with its unit. Undefined if the line does not have it. */
  abstract get(part: Part): string | undefined
  /** The text of a part, without escapes. */
  abstract text(part: Part): string | undefined
  /** Whether the format has the part. */
  abstract has(part: Part): boolean
  /** The character at which a part starts. */
  abstract startOf(part: Part): number
  /** Whether the address has a port. */
  abstract readonly port: 'never' | 'always' | 'any'
  /** The entry of the list that is the client, if the format says so. */
  abstract readonly entry: number | undefined
  abstract header(name: string): string | undefined
  /** Any other field of the line, by the name that the format gives it. */
  abstract named(name: string): unknown

  get method(): string {
    return lineOf(this)?.method ?? ''
  }

  get #target(): { readonly url: string; readonly host?: string } {
    const query = this.text('query')?.replace(/^\?/, '')
    const target = lineOf(this)?.target ?? ''
    return readTarget(query === undefined ? target : `${target}?${query}`)
  }

  get url(): string {
    return this.#target.url
  }

  get host(): string | undefined {
    const host = this.text('host')
    return host === undefined ? this.#target.host : readHost(host)
  }

  get user(): string | undefined {
    return this.text('user')
  }

  get bytes(): number | undefined {
    return readCount(this.get('bytes'))
  }

  get isForwarded(): boolean {
    return this.has('ip') && this.entry === undefined && this.get('forwarded') !== undefined
  }

  get forwarded(): Address | undefined {
    const { address, list } = this.meaning
    const choice = address === 'remote' ? undefined : (address ?? this.entry)
    const found = readForwarded(this.get('forwarded') ?? '', choice ?? list)
    return found === 'list' ? undefined : found
  }

  field(name: string): unknown {
    return name === 'bytes' ? this.bytes : this.named(name)
  }
}
