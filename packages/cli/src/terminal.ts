import type { Readable } from 'node:stream'

/** The part of a process that a command uses. Tests pass their own. */
export interface Terminal {
  readonly stdin: Readable
  readonly stdout: Output
  readonly stderr: Output
  readonly env: Readonly<Record<string, string | undefined>>
  exitCode?: number | string | null | undefined
}

/** A stream that a command writes to. */
export interface Output {
  /** Whether the stream is a terminal. */
  readonly isTTY?: boolean | undefined
  /** The width of the terminal in characters. */
  readonly columns?: number | undefined
  write(text: string): unknown
}
