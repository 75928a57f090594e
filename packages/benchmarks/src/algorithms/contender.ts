import type { Redis } from 'ioredis'

/** One way to decide in Redis. */
export interface Contender {
  readonly name: string
  /** The contents of a key when its bytes are measured, and about its contents while decisions are timed. */
  readonly fill: Fill
  /** The commands that the client sends, by their names in INFO. All other commands are called by these. */
  readonly sends: readonly string[]
  /** Opens the contender under a unique name. */
  open(client: Redis, name: string): Promise<Opened>
}

export interface Fill {
  /** A description. */
  readonly holds: string
  readonly admissions: number
  readonly everyMs: number
}

export interface Opened {
  readonly decide: Decide
  /** Releases the leases of the timed decisions, so that each round starts with the same state. */
  release?(): Promise<void>
}

/** Takes one unit and returns whether it was allowed. Without `now` it uses the current time. */
export type Decide = (key: string, now?: number) => Promise<boolean>

/** The limit of all contenders. The logs have twice as much, so that no timed decision reaches a limit. */
export const limit = 100
export const windowMs = 120_000

export const once: Fill = { holds: 'one admission', admissions: 1, everyMs: 0 }
export const twoWindows: Fill = { holds: 'two windows', admissions: 2, everyMs: windowMs }
export const tenths: Fill = { holds: 'every sub-window', admissions: 11, everyMs: windowMs / 10 }
export const hundred: Fill = {
  holds: '100 admissions',
  admissions: 100,
  everyMs: windowMs / 100,
}

export const ten: Fill = { holds: '10 leases', admissions: 10, everyMs: 1000 }

/** The name of a key in Redis: that of Sluice, which has the same length for every contender. */
export function keyName(name: string, key: string): string {
  return `sluice:${name}:1{${key}}`
}
