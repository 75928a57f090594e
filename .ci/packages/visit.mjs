import assert from 'node:assert/strict'
import { join } from 'node:path'
import { assertAllowed, assertDenied } from '../smoke/answers.mjs'
import { started } from '../smoke/program.mjs'

const onFreePort = ['--import', join(import.meta.dirname, 'listen-on-port.mjs')]

/** Starts a server and checks it, by default with requests until it denies one. */
export async function visit(folder, file, { env, node, check = untilDenied } = {}) {
  const server = await started(folder, file, onFreePort, env, node)
  try {
    const seen = await check(server)
    await server.stop()
    return seen
  } catch (error) {
    throw new Error(`${join(folder, file)} does not work. Its output:\n${server.output}`, {
      cause: error,
    })
  } finally {
    server.kill()
  }
}

/** A server must allow exactly the quota of its first policy. */
async function untilDenied(server) {
  const { name, limit } = await firstPolicyOf(server)
  for (let i = 1; i < limit; i++) assertAllowed(await server.ask('/'))
  await assertDenied(await denied(server, limit), name)
  return `${limit} requests allowed, then 429`
}

async function firstPolicyOf({ ask }) {
  const response = await ask('/')
  assertAllowed(response)
  const [, name, limit] = /^"([^"]+)";q=(\d+)/.exec(response.headers.get('RateLimit-Policy'))
  return { name, limit: Number(limit) }
}

/** The first requests may leave the window meanwhile, so up to three more are allowed. */
async function denied({ ask }, limit) {
  for (let extra = 0; extra <= 3; extra++) {
    const response = await ask('/')
    if (response.status === 429) return response
  }
  return assert.fail(`more than ${limit} requests were allowed`)
}
