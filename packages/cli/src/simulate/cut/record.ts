/** A request as a line of a log describes it. A field that the format does not have is undefined. */
export interface LogRecord {
  /** The time that the line states, in milliseconds since the epoch. */
  readonly time: number
  /** How long the request took. If it is known, `time` is the end of the request. */
  readonly durationMs: number | undefined
  /** The time at which the request is replayed. */
  at: number
  readonly method: string
  readonly url: string
  readonly status: number
  readonly ip: string | undefined
  readonly host: string | undefined
  readonly user: string | undefined
  readonly bytes: number | undefined
  /** A request header. The name is in lower case. */
  header(name: string): string | undefined
  /** Any other field of the line, by the name that the format gives it. */
  field(name: string): unknown
}

/** Why a line is no request. A comment has the reason ''. */
export type SkipReason = string

/** Reads the lines of one format. */
export interface Cutter {
  readonly format: string
  /** Whether the format has a field: `ip`, `user`, `host`, `header.NAME` … */
  has(field: string): boolean
  /** Reads the line `text.slice(start, end)`, whose characters are the bytes of the log. It never throws. */
  cut(text: string, start: number, end: number): LogRecord | SkipReason
}
