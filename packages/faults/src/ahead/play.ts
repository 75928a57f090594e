import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import type { AheadCounts } from '@sluice/core'
import { replayed } from './policies.js'
import type { Admission } from './replay.js'
import type { Task } from './worker.js'

export interface Run extends Pick<Task, 'policy' | 'server'> {
  readonly processes: number
  readonly seconds: number
  /** The processes of the server, which hangs for longer than a decision may take. */
  readonly pids: readonly number[]
}

export interface Figures {
  readonly allowed: number
  /** The requests that one of the policies would have refused. */
  readonly refused: number
  readonly killed: number
  /** The sum of what the processes that were not killed have counted. */
  readonly spent: number
  readonly lapsed: number
  readonly returned: number
}

// The compiled file, even if vitest runs this file from its source.
const workerFile = new URL('../../dist/ahead/worker.js', import.meta.url)

/** How far the clocks of the processes are ahead of that of the server. */
const clocks = [0, 2, -2, 1]

/**
 * Lets processes spend the units of one key while a process is stopped for a time, half of them are killed and replaced, and the server hangs. Then it replays what
 * all of them allowed.
 */
export async function play({ policy, server, processes, seconds, pids }: Run): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-ahead-'))
  const counts: AheadCounts[] = []
  const ended: Promise<void>[] = []
  const files: string[] = []
  let killed = 0

  async function start(): Promise<ChildProcess> {
    const seed = files.length
    const file = join(folder, `${seed}`)
    files.push(file)
    const aheadMs = clocks[seed % clocks.length]
    const task: Task = { policy, server, file, aheadMs, seed }
    const child = fork(workerFile, [JSON.stringify(task)])
    ended.push(endOf(child))
    await once(child, 'message')
    child.on('message', (message: AheadCounts) => counts.push(message))
    return child
  }

  try {
    const children = await Promise.all(Array.from({ length: processes }, start))
    const until = Date.now() + seconds * 1000
    for (const child of children) child.send(until)
    await delay(seconds * 250)
    children[0].kill('SIGSTOP')
    await delay(seconds * 150)
    children[0].kill('SIGCONT')
    for (const child of children.slice(0, Math.ceil(processes / 2))) {
      child.kill('SIGKILL')
      killed++
      void start().then((next) => next.send(until))
    }
    await delay(seconds * 250)
    for (const pid of pids) process.kill(pid, 'SIGSTOP')
    await delay(1500)
    for (const pid of pids) process.kill(pid, 'SIGCONT')
    await Promise.all(ended)
    const admissions = files.flatMap(admissionsIn)
    const sum = (name: 'spent' | 'lapsed' | 'returned'): number =>
      counts.reduce((total, count) => total + count[name], 0)
    return {
      allowed: admissions.length,
      refused: replayed[policy].replays.reduce((all, replay) => all + replay(admissions), 0),
      killed,
      spent: sum('spent'),
      lapsed: sum('lapsed'),
      returned: sum('returned'),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function endOf(child: ChildProcess): Promise<void> {
  const [code, signal] = await once(child, 'exit')
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(`a worker ended with ${code}`)
}

/** A process that was killed may have written a part of a number. */
function admissionsIn(file: string): Admission[] {
  const bytes = readFileSync(file)
  const pairs = Math.floor(bytes.length / 16)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return Array.from({ length: pairs }, (_, i) => {
    return [view.getFloat64(i * 16, true), view.getFloat64(i * 16 + 8, true)]
  })
}
