import type { Redis } from 'ioredis'

/** What a server has done. */
export interface Usage {
  /** By the command's name, as INFO has it. A script's time holds that of the commands which it calls, and those are counted too. */
  readonly commands: ReadonlyMap<string, CommandUsage>
  /** On the wire. */
  readonly bytesIn: number
  readonly bytesOut: number
  /** The processor's time for all of it: to read, to decide, to answer. It is told to no more than a thousandth of a second or so. */
  readonly cpuMicroseconds: number
}

interface CommandUsage {
  readonly calls: number
  readonly microseconds: number
}

/** Tells what some work cost the server. Nobody else may speak to it meanwhile, and `admin` be none of the work's connections. */
export async function usageOf(admin: Redis, work: () => Promise<void>): Promise<Usage> {
  // To ask costs some bytes as well: always the same.
  const idle = await counted(admin, async () => {})
  const all = await counted(admin, work)
  return { ...all, bytesIn: all.bytesIn - idle.bytesIn, bytesOut: all.bytesOut - idle.bytesOut }
}

/** The commands that came over the wire. Those that a script calls are told by INFO as well, but no client here sends both kinds. */
export function sentOf({ commands }: Usage): number {
  let scripts = 0
  let others = 0
  for (const [name, { calls }] of commands) {
    if (name.startsWith('eval')) scripts += calls
    else others += calls
  }
  return scripts > 0 ? scripts : others
}

/** The bytes that keys take, each with its name and its whole value. */
export async function memoryOf(admin: Redis, pattern: string): Promise<number> {
  const keys = await admin.keys(pattern)
  let bytes = 0
  for (let from = 0; from < keys.length; from += 500) {
    const some = keys.slice(from, from + 500)
    // Unless told to look at all, it looks at five elements of a value and takes the others to be like them.
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
    if (asking.has(name)) continue
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

const asking: ReadonlySet<string> = new Set(['info', 'config|resetstat'])

function fieldOf(info: string, name: string): number {
  const found = new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)
  if (found === null) throw new Error(`INFO does not tell ${name}`)
  return Number(found[1])
}
