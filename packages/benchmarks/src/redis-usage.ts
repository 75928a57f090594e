import type { Redis } from 'ioredis'
import type { Reading } from './processes/reading.js'

/** The work of a Redis server. */
export interface Usage {
  /** By the name of the command in INFO. The commands of a script are counted as well, and the time of the script includes theirs. */
  readonly commands: ReadonlyMap<string, CommandUsage>
  /** The bytes of the network traffic. */
  readonly bytesIn: number
  readonly bytesOut: number
  /** The CPU time for all of it, with a resolution of about a millisecond. */
  readonly cpuMicroseconds: number
}

interface CommandUsage {
  readonly calls: number
  readonly microseconds: number
}

/** Measures the cost of some work for the server. No other client may use the server during the work, and the work must not use `admin`. */
export async function usageOf(admin: Redis, work: () => Promise<void>): Promise<Usage> {
  // The measurement itself costs some bytes, always the same number.
  const idle = await counted(admin, async () => {})
  const all = await counted(admin, work)
  return { ...all, bytesIn: all.bytesIn - idle.bytesIn, bytesOut: all.bytesOut - idle.bytesOut }
}

/** The cost of one decision for the server, of work that makes so many. */
export async function costOf(
  admin: Redis,
  decisions: number,
  work: () => Promise<void>,
): Promise<Reading> {
  const usage = await usageOf(admin, work)
  return {
    redisMicroseconds: usage.cpuMicroseconds / decisions,
    commands: sentOf(usage) / decisions,
    bytesIn: usage.bytesIn / decisions,
    bytesOut: usage.bytesOut / decisions,
  }
}

/** The commands that clients have sent. INFO also counts the commands of scripts, but no client here sends both kinds. */
export function sentOf({ commands }: Usage): number {
  let scripts = 0
  let others = 0
  for (const [name, { calls }] of commands) {
    if (name.startsWith('eval')) scripts += calls
    else others += calls
  }
  return scripts > 0 ? scripts : others
}

/** The bytes of keys, with their names and complete values. */
export async function memoryOf(admin: Redis, pattern: string): Promise<number> {
  const keys = await admin.keys(pattern)
  let bytes = 0
  for (let from = 0; from < keys.length; from += 500) {
    const some = keys.slice(from, from + 500)
    // By default MEMORY USAGE reads five elements of a value and estimates the others. SAMPLES 0 reads all of them.
    const sizes = some.map(async (key) => admin.memory('USAGE', key, 'SAMPLES', 0))
    for (const size of await Promise.all(sizes)) bytes += Number(size)
  }
  return bytes
}

async function counted(admin: Redis, work: () => Promise<void>): Promise<Usage> {
  await admin.config('RESETSTAT')
  const cpuBefore = cpuOf(await admin.info('cpu'))
  await work()
  const info = await admin.info('all')
  const commands = new Map<string, CommandUsage>()
  for (const [, name, calls, usec] of info.matchAll(/^cmdstat_(.+?):calls=(\d+),usec=(\d+)/gm)) {
    if (ownCommands.has(name)) continue
    commands.set(name, { calls: Number(calls), microseconds: Number(usec) })
  }
  return {
    commands,
    bytesIn: fieldOf(info, 'total_net_input_bytes'),
    bytesOut: fieldOf(info, 'total_net_output_bytes'),
    cpuMicroseconds: cpuOf(info) - cpuBefore,
  }
}

function cpuOf(info: string): number {
  const seconds = fieldOf(info, 'used_cpu_user') + fieldOf(info, 'used_cpu_sys')
  return Math.round(seconds * 1e6)
}

const ownCommands: ReadonlySet<string> = new Set(['info', 'config|resetstat'])

function fieldOf(info: string, name: string): number {
  const found = new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)
  if (found === null) throw new Error(`INFO has no ${name}`)
  return Number(found[1])
}
