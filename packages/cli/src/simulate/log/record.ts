import type { Address } from './values.js'

/** A request in a log. Fields that the format does not have are undefined. */
export interface LogRecord {
  /** The end of the request, in milliseconds since the epoch. */
  readonly time: number
  readonly durationMs: number | undefined
  /** The time at which the request is replayed. */
  at: number
  readonly method: string
  readonly url: string
  readonly status: number
  readonly address: Address | undefined
  readonly host: string | undefined
  readonly user: string | undefined
  readonly bytes: number | undefined
  /** Whether the line has a list of forwarded addresses that does not say which one is the client. */
  readonly isForwarded: boolean
  /** The client of a list of forwarded addresses. */
  readonly forwarded: Address | undefined
  /** A request header. The name is in lower case. */
  header(name: string): string | undefined
  /** Any other field of the line, by the name that the format gives it. */
  field(name: string): unknown
}

/** A line that is not what the format says. */
export class BadLine {
  /** The reason, without a value of the line. */
  readonly reason: string
  /** The character at which it stops fitting. */
  readonly at: number
  /** Whether the line has all fields of the format, and one of them has no meaning. */
  readonly isWhole: boolean

  constructor(reason: string, at: number, isWhole = false) {
    this.reason = reason
    this.at = at
    this.isWhole = isWhole
  }
}

/** A request, a line without one and why (a comment: ''), or a line that does not fit. */
export type Reading = LogRecord | string | BadLine

/** Reads the lines of one format. It can keep state about earlier lines, and it never throws. */
export interface LineReader {
  /** @param line the bytes of the line, one in each character */
  read(line: string): Reading
  /** Whether the format has a field: `ip`, `user`, `host`, `header.NAME` … */
  has(field: string): boolean
  /** Whether a time stated no zone. */
  isZoneless(): boolean
}

/** The statements of the user about the meaning of a log. */
export interface Meaning {
  /** Which address of a forwarded list is the client: the number of proxies, so that 1 is the last one. */
  readonly address: 'remote' | 'first' | number | undefined
  /** The same for a key that is the list itself, as far as the log shows it. */
  readonly list?: number | undefined
  /** The zone of times that state none, in milliseconds east of UTC. */
  readonly zoneMs: number
}

/** A format of logs. */
export interface Format {
  readonly name: string
  open(meaning: Meaning): LineReader
}
