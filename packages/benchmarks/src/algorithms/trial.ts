import type { Redis } from 'ioredis'
import { memoryOf, usageOf, type Usage } from '../redis-usage.js'
import { inRounds } from '../rounds.js'
import { keyName, type Contender, type Decide, type Fill, type Opened } from './contender.js'

/** How much is measured. A round decides once for each key. */
export interface Settings {
  readonly keys: number
  readonly rounds: number
}

export type AllCosts = ReadonlyMap<Contender, Costs>

/** What a contender was found to cost. */
export interface Costs {
  /** All that belongs to one key: an average. */
  readonly bytesPerKey: number
  /** In the order of the rounds, so that those of two contenders can be compared in pairs. */
  readonly rounds: readonly Round[]
}

/** What one decision cost, on average, in one round. */
export interface Round {
  readonly microseconds: number
  readonly commandsSent: number
  readonly commandsWithin: number
  readonly bytesIn: number
  readonly bytesOut: number
}

/** Measures the contenders in turns, on one server, over one connection that waits for each decision before it asks for the next. */
export async function tryAll(
  admin: Redis,
  client: Redis,
  contenders: readonly Contender[],
  { keys: count, rounds }: Settings,
  say: (progress: string) => void,
): Promise<AllCosts> {
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
  const measured = await inRounds(entered, rounds, async ({ contender, opened }, round) => {
    say(`round ${round + 1} of ${rounds}`)
    const usage = await usageOf(admin, () => decideForEach(opened.decide, keys, contender.name))
    await opened.release?.()
    return averageOf(usage, contender.sends, count)
  })
  return new Map(
    entered.map((entry) => {
      const { contender, bytesPerKey } = entry
      return [contender, { bytesPerKey, rounds: measured.get(entry) ?? [] }]
    }),
  )
}

interface Entered {
  readonly contender: Contender
  readonly opened: Opened
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
    // A denial writes less, so its time would flatter.
    if (!(await decide(key))) throw new Error(`${name} denied ${key} while it was timed`)
  }
}

function averageOf(usage: Usage, sends: readonly string[], decisions: number): Round {
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
