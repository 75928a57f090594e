import assert from 'node:assert/strict'
import { join } from 'node:path'
import { assertAdmitted, assertDenied } from '../smoke/answers.mjs'
import { started } from '../smoke/program.mjs'

const onFreePort = ['--import', join(import.meta.dirname, 'listen-on-port.mjs')]

/** Starts a server, and asks it until it denies: it has to admit as many requests as it says, and no more. */
export async function visit(folder, file) {
  const server = await started(folder, file, onFreePort)
  try {
    const limit = await limitOf(await server.ask('/'))
    for (let i = 1; i < limit; i++) assertAdmitted(await server.ask('/'))
    await assertDenied(await denied(server, limit), 'default')
    await server.stop()
    return `${limit} requests admitted, then 429`
  } catch (error) {
    throw new Error(`${join(folder, file)} does not work. It said:\n${server.output}`, {
      cause: error,
    })
  } finally {
    server.kill()
  }
}

function limitOf(response) {
  assertAdmitted(response)
  return Number(/;q=(\d+)/.exec(response.headers.get('RateLimit-Policy'))[1])
}

/** A limit of a hundred a minute admits another one each 600 ms, once the window has moved. */
async function denied({ ask }, limit) {
  for (let extra = 0; extra <= 3; extra++) {
    const response = await ask('/')
    if (response.status === 429) return response
  }
  return assert.fail(`more than ${limit} requests were admitted`)
}
