import assert from 'node:assert/strict'
import cluster from 'node:cluster'
import { subscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { get } from 'node:http'
import { text } from 'node:stream/consumers'

/** Of 20 requests, spread over the processes of a program, 10 are allowed. Each process calls it. */
export async function tenOfTwenty(processes) {
  // On a busy machine, a call can take longer than the timeout.
  let isStoreSlow = false
  cluster.on('message', () => (isStoreSlow = true))
  subscribe('sluice:fallback', () => process.send?.('fallback'))
  if (!cluster.isPrimary) return

  const port = await allListen(processes)
  const replies = []
  for (let i = 0; i < 20; i++) replies.push(await visit(port))
  const allowed = replies.filter(({ status }) => status === 200)
  const pids = new Set(allowed.map((reply) => reply.text))
  console.log(`${allowed.length} of ${replies.length} requests allowed, by ${pids.size} processes`)
  if (!isStoreSlow) assert.deepEqual([allowed.length, pids.size], [10, processes])
  const workers = Object.values(cluster.workers ?? {})
  const ended = workers.map((worker) => worker && once(worker, 'exit'))
  for (const worker of workers) worker?.process.kill()
  await Promise.all(ended)
}

/** Resolves to the port when all processes listen. */
function allListen(processes) {
  return new Promise((resolve) => {
    let listening = 0
    cluster.on('listening', (_worker, { port }) => {
      if (++listening === processes) resolve(port)
    })
  })
}

/** Sends a request over a connection of its own, so that the next one goes to another process. */
async function visit(port) {
  const request = get({ port, host: '127.0.0.1', agent: false })
  const [response] = await once(request, 'response')
  return { status: response.statusCode, text: await text(response) }
}
