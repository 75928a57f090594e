// Starts each example as its reader would, and speaks to it until it says 429.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { members } from './workspace.mjs'

const startsWithinMs = 20_000
const enoughRequests = 200

const examples = members()
  .filter(({ folder }) => existsSync(join(folder, 'server.js')))
  .map(({ folder, manifest }) => ({ folder, name: manifest.name }))
assert.notEqual(examples.length, 0, 'there is no example to start')

for (const { folder, name } of examples) {
  const admitted = await tryOut(folder)
  console.log(`${name}: ${admitted} requests admitted, then 429.`)
}

async function tryOut(folder) {
  const port = await freePort()
  // Whatever Redis this machine may have is none of ours.
  const { REDIS_URL: _, ...env } = process.env
  const server = spawn(process.execPath, ['server.js'], {
    cwd: folder,
    env: { ...env, PORT: `${port}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (text) => (output += text))
  try {
    return await exhaust(`http://127.0.0.1:${port}/`, server)
  } catch (error) {
    throw new Error(`${folder} does not do what it should. It said:\n${output}`, { cause: error })
  } finally {
    const stopped = server.exitCode ?? server.signalCode ?? once(server, 'exit')
    server.kill()
    await stopped
  }
}

/** Sends requests until one is denied; answers how many were not. */
async function exhaust(url, server) {
  const first = await firstAnswer(url, server)
  assertAdmitted(first)
  for (let admitted = 1; admitted < enoughRequests; admitted++) {
    const response = await fetch(url)
    if (response.status === 429) {
      await assertDenied(response)
      return admitted
    }
    assertAdmitted(response)
  }
  assert.fail(`none of ${enoughRequests} requests was denied`)
}

async function firstAnswer(url, server) {
  const deadline = Date.now() + startsWithinMs
  while (server.exitCode === null && Date.now() < deadline) {
    try {
      return await fetch(url)
    } catch {
      await sleep(50)
    }
  }
  assert.fail(server.exitCode === null ? 'it does not listen' : `it ended with ${server.exitCode}`)
}

function assertAdmitted(response) {
  assert.equal(response.status, 200)
  assert.match(response.headers.get('RateLimit') ?? '', /;r=\d+;t=\d+/)
  assert.match(response.headers.get('RateLimit-Policy') ?? '', /;q=\d+/)
}

async function assertDenied(response) {
  assert.match(response.headers.get('Retry-After') ?? '', /^[1-9]\d*$/)
  assert.match(response.headers.get('RateLimit') ?? '', /;r=0;t=[1-9]/)
  assert.match(response.headers.get('RateLimit-Policy') ?? '', /;q=\d+/)
  assert.match(response.headers.get('Content-Type') ?? '', /^application\/problem\+json/)
  const { type, status } = await response.json()
  assert.deepEqual(
    { type, status },
    { type: 'https://iana.org/assignments/http-problem-types#quota-exceeded', status: 429 },
  )
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}
