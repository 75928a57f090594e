import type { Readable } from 'node:stream'

/** The part of a process that a command uses. Tests pass their own. */
export interface Terminal {
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
  readonly env: Readonly<Record<string, string | undefined>>
  exitCode?: number | string | null | undefined
  /** Listens to a signal that would end the process. */
  on?(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): unknown
  off?(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): unknown
}

/** The stream that a command reads. */
export type Input = Readable & {
  /** Passes on each key at once, without echo. Only a terminal has it. */
  setRawMode?(isRaw: boolean): unknown
}

/** A stream that a command writes to. */
export interface Output {
  /** Whether the stream is a terminal. */
  readonly isTTY?: boolean | undefined
  /** The size of the terminal in characters. */
  readonly columns?: number | undefined
  readonly rows?: number | undefined
  write(text: string): unknown
  on?(event: 'resize', listener: () => void): unknown
  off?(event: 'resize', listener: () => void): unknown
}
