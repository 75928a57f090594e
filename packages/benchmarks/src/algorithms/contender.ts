import type { Redis } from 'ioredis'

/** One way to decide. */
export interface Contender {
  readonly name: string
  /** What a key holds when its bytes are counted, and about what it holds while decisions are timed. */
  readonly fill: Fill
  /** The commands that go over the wire, as INFO calls them. Any others are called by these. */
  readonly sends: readonly string[]
  /** Opens it under a name that no other contender has. */
  open(client: Redis, name: string): Promise<Opened>
}

export interface Fill {
  /** In words. */
  readonly holds: string
  readonly admissions: number
  readonly everyMs: number
}

export interface Opened {
  readonly decide: Decide
  /** Gives up what the timed decisions hold that does not end by itself, so that the next round finds what the last one found. */
  release?(): Promise<void>
}

/** Takes one unit: whether it was admitted. `now` is the present, unless another time is given. */
export type Decide = (key: string, now?: number) => Promise<boolean>

/** What all contenders allow, the logs twice as much: no decision that is timed reaches a limit. */
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

/** The name of a key in Redis: as long for every contender, and as Sluice has it. */
export function keyName(name: string, key: string): string {
  return `sluice:${name}:{${key}}`
}
