/** A request in a log. Fields that the format does not have are undefined. */
export interface LogRecord {
  /** The time of the line, in milliseconds since the epoch. */
  readonly time: number
  /** The duration of the request. If it is known, `time` is the end of the request. */
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

/** The reason why a line is skipped. The reason of a comment is ''. */
export type SkipReason = string

/** Reads the lines of one format. */
export interface Cutter {
  readonly format: string
  /** Whether the format has a field: `ip`, `user`, `host`, `header.NAME` … */
  has(field: string): boolean
  /** Reads the line `text.slice(start, end)`, whose characters are the bytes of the log. It never throws. */
  cut(text: string, start: number, end: number): LogRecord | SkipReason
}
