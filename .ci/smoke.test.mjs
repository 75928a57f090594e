// Starts each example as a reader would, and runs its check: `npm run smoke`, or `npm run smoke -- -t koa`.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { test } from 'vitest'
import { fetchClient } from './smoke/fetch-client.mjs'
import { graphql } from './smoke/graphql.mjs'
import { login } from './smoke/login.mjs'
import { fiveInTenSeconds } from './smoke/five-in-ten-seconds.mjs'
import { metrics } from './smoke/metrics.mjs'
import { plans } from './smoke/plans.mjs'
import { playground } from './smoke/playground.mjs'
import { ownStore } from './smoke/own-store.mjs'
import { started } from './smoke/program.mjs'
import { queueWorker } from './smoke/queue-worker.mjs'
import { requestsAndStreams } from './smoke/requests-and-streams.mjs'
import { ownRules, rules } from './smoke/rules.mjs'
import { socketIo } from './smoke/socket-io.mjs'
import { members, root } from './workspace.mjs'

const checks = {
  express: fiveInTenSeconds,
  fastify: fiveInTenSeconds,
  'fetch-client': fetchClient,
  graphql,
  hono: requestsAndStreams,
  koa: fiveInTenSeconds,
  login,
  metrics,
  nestjs: fiveInTenSeconds,
  'own-store': ownStore,
  plans,
  playground,
  'queue-worker': queueWorker,
  rules,
  'socket.io': socketIo,
}

/** The environment of an example, besides the port. */
const environments = { rules: ownRules }

// A test runs the programs of the docs, with a Redis. `npm run check:platforms` starts the examples that need another runtime, or a build.
const examples = members()
  .filter(({ folder }) => dirname(folder) === join(root, 'examples'))
  .map(({ folder }) => basename(folder))
  .filter((name) => !['docs', 'moving'].includes(name))
assert.notEqual(examples.length, 0, 'there is no example to start')

test.each(examples)('examples/%s does what its page says', async (example) => {
  const check = Object.hasOwn(checks, example) ? checks[example] : undefined
  assert.ok(check, `examples/${example} has no check: give it one in .ci/smoke.test.mjs`)
  const folder = join(root, 'examples', example)
  const environment = environments[example]?.() ?? {}
  const program = await started(folder, programIn(folder), [], environment)
  try {
    console.log(`${example}: ${await check(program, environment)}`)
    await program.stop()
  } catch (error) {
    throw new Error(`The program said:\n${program.output}`, { cause: error })
  } finally {
    program.kill()
  }
})

/** An example is one file. */
function programIn(folder) {
  const files = readdirSync(folder).filter((name) => /\.[cm]?[jt]s$/.test(name))
  assert.equal(files.length, 1, `${folder} has to hold one program, and holds [${files}]`)
  return files[0]
}
