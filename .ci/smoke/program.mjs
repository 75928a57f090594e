import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'

const startsWithinMs = 60_000
const answersWithinMs = 10_000
const endsWithinMs = 30_000
const stopsWithinMs = 5_000

// A signal that stops this script also stops its programs.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

/** Starts an example on a free port. It never outlives this process. */
export async function started(folder, file, nodeOptions = [], given = {}, node = process.execPath) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  // Tests never use a Redis that runs on the machine.
  const { REDIS_URL: _, ...env } = process.env
  const child = spawn(node, [...nodeOptions, file], {
    cwd: folder,
    env: { ...env, ...given, PORT: `${port}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('close', () => process.off('exit', kill))

  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => (output += text))
  }

  /** Sends a request, the first one as soon as the program listens. */
  async function ask(path, options) {
    const deadline = Date.now() + startsWithinMs
    for (;;) {
      try {
        const signal = AbortSignal.timeout(answersWithinMs)
        return await fetch(`${url}${path}`, { ...options, signal })
      } catch (error) {
        assert.equal(child.exitCode, null, 'it ended')
        if (error.cause?.code !== 'ECONNREFUSED' || Date.now() > deadline) throw error
        await sleep(50)
      }
    }
  }

  /** Waits until the program ends. */
  async function end() {
    const inTime = await Promise.race([ended, sleep(endsWithinMs, undefined, { ref: false })])
    assert.ok(inTime, `it does not end within ${endsWithinMs} ms`)
    assert.deepEqual(inTime, [0, null], 'it failed')
  }

  /** Stops it like Ctrl-C. */
  async function stop() {
    child.kill('SIGINT')
    const inTime = await Promise.race([ended, sleep(stopsWithinMs, undefined, { ref: false })])
    assert.ok(inTime, `it does not stop within ${stopsWithinMs} ms of SIGINT`)
  }

  return {
    url,
    ask,
    end,
    stop,
    kill,
    get output() {
      return output
    },
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}
