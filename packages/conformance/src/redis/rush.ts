import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Rush } from './rush-worker.js'

const worker = fileURLToPath(new URL('./rush-worker.js', import.meta.url))

/** Sends the same number of requests at once from each of several processes, and counts how many were allowed in all. */
export async function rush(processes: number, task: Rush): Promise<number> {
  const children = Array.from({ length: processes }, () => fork(worker, [JSON.stringify(task)]))
  try {
    await Promise.all(children.map((child) => nextMessage(child)))
    const counts = children.map((child) => nextMessage(child))
    for (const child of children) child.send('go')
    const admitted = await Promise.all(counts)
    return admitted.reduce<number>((sum, count) => sum + Number(count), 0)
  } finally {
    for (const child of children) child.kill()
  }
}

async function nextMessage(child: ReturnType<typeof fork>): Promise<unknown> {
  const died = once(child, 'exit').then(([code]) => {
    throw new Error(`a worker ended with code ${String(code)} before it answered`)
  })
  const [message] = await Promise.race([once(child, 'message'), died])
  return message
}
