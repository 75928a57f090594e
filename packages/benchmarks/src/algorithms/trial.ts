import type { Redis } from 'ioredis'
import type { Readings } from '../figures.js'
import type { Reading } from '../processes/reading.js'
import { memoryOf, usageOf, type Usage } from '../redis-usage.js'
import { inRounds } from '../rounds.js'
import { keyName, type Contender, type Decide, type Fill, type Opened } from './contender.js'

/** The amount of work. A round makes one decision for each key. */
export interface Settings {
  readonly keys: number
  readonly rounds: number
}

/** Measures the contenders in turns, on one server and one connection, with one decision at a time. */
export async function tryAll(
  admin: Redis,
  client: Redis,
  contenders: readonly Contender[],
  { keys: count, rounds }: Settings,
  say: (progress: string) => void,
): Promise<Readings> {
  const keys = Array.from({ length: count }, (_, i) => `user:${12_345 + i}`)
  const entered: Entered[] = []
  for (const [i, contender] of contenders.entries()) {
    say(`filling ${i + 1} of ${contenders.length}`)
    const name = `api${String(i).padStart(2, '0')}`
    const opened = await contender.open(client, name)
    await fill(opened.decide, keys, contender.fill)
    const bytesPerKey = (await memoryOf(admin, `${keyName(name, '*')}*`)) / count
    entered.push({ contender, opened, bytesPerKey })
  }
  const measured = await inRounds(entered, rounds, async (entry, round) => {
    const { contender, opened, bytesPerKey } = entry
    say(`round ${round + 1} of ${rounds}`)
    const usage = await usageOf(admin, () => decideForEach(opened.decide, keys, contender.name))
    await opened.release?.()
    return { bytesPerKey, ...averageOf(usage, contender.sends, count) }
  })
  return new Map([...measured].map(([{ contender }, readings]) => [contender.name, readings]))
}

interface Entered {
  readonly contender: Contender
  readonly opened: Opened
  /** The average bytes of everything that belongs to one key. */
  readonly bytesPerKey: number
}

async function fill(
  decide: Decide,
  keys: readonly string[],
  { admissions, everyMs }: Fill,
): Promise<void> {
  const now = Date.now()
  for (let i = admissions - 1; i >= 0; i--) {
    await Promise.all(keys.map(async (key) => decide(key, now - i * everyMs)))
  }
}

async function decideForEach(decide: Decide, keys: readonly string[], name: string): Promise<void> {
  for (const key of keys) {
    // A denial writes less, so it would be faster.
    if (!(await decide(key))) throw new Error(`${name} denied ${key} while it was timed`)
  }
}

/** The cost of one decision. */
function averageOf(usage: Usage, sends: readonly string[], decisions: number): Reading {
  let microseconds = 0
  let sent = 0
  let within = 0
  for (const [name, command] of usage.commands) {
    if (sends.includes(name)) {
      microseconds += command.microseconds
      sent += command.calls
    } else within += command.calls
  }
  return {
    microseconds: microseconds / decisions,
    commandsSent: sent / decisions,
    commandsWithin: within / decisions,
    bytesIn: usage.bytesIn / decisions,
    bytesOut: usage.bytesOut / decisions,
  }
}
