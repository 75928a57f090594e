import type { FieldNames } from './json.js'
import type { Prefix } from './prefix.js'

/** The format of a log, and the meaning of its fields. */
export interface FormatOptions {
  /**
   * The name of the format, such as `'combined'`. `'auto'` finds the one that all of the first 1,000 lines have.
   *
   * @default 'auto'
   */
  readonly format?: string | undefined
  /** The name of a format, a `log_format` of nginx (`'$remote_addr …'`) or a `LogFormat` of Apache (`'%h …'`). */
  readonly logFormat?: string | undefined
  /** The `log_format` of nginx, for the format `nginx`. */
  readonly nginxFormat?: string | undefined
  /** The prefix that another program writes before each line: the container, the time or the host. */
  readonly prefix?: Prefix | undefined
  /** The names of fields in JSON lines, if they differ from the usual names. */
  readonly fields?: FieldNames | undefined
  /**
   * The address that is the client if a line has a list of forwarded addresses: `'remote'` is that of the connection, `'first'` and `'last'` are entries of the
   * list, and a number is the number of proxies, as `address: { proxies: 2 }` of the server. Without it, a log with such lists is an error.
   */
  readonly address?: 'remote' | 'first' | 'last' | number | undefined
  /**
   * The zone of times that state none, such as `'+02:00'`.
   *
   * @default 'UTC'
   */
  readonly zone?: string | undefined
  /**
   * The share of lines, from 0 to 1, that can have another form. All of the first 1,000 lines have the format unless this is set.
   *
   * @default 0.01
   */
  readonly skipBadLines?: number | undefined
}
