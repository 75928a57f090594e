import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Done, Work } from './worker.js'

const worker = fileURLToPath(new URL('./worker.js', import.meta.url))

/** Processes that decide about the same keys in one file. */
export interface Workers {
  readonly processes: readonly ChildProcess[]
  /** The results, once all of them have finished. */
  finish(): Promise<readonly Done[]>
}

/** Starts several processes, and lets them begin together. */
export async function startWorkers(count: number, work: Work): Promise<Workers> {
  const processes = Array.from({ length: count }, () => fork(worker, [JSON.stringify(work)]))
  await Promise.all(processes.map(messageOf))
  const results = processes.map(messageOf)
  for (const child of processes) child.send('go')
  // A process that a test kills has no result.
  for (const result of results) result.catch(() => {})
  return { processes, finish: () => Promise.all(results) }
}

async function messageOf(child: ChildProcess): Promise<Done> {
  const ended = once(child, 'disconnect').then((): never => {
    throw new Error(`a worker ended without a result, with ${String(child.exitCode)}`)
  })
  const [message] = await Promise.race([once(child, 'message'), ended])
  return message
}
