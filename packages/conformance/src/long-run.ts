import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual, inspect, parseArgs } from 'node:util'
import { memoryStore, redisStore, type Store } from '@sluice/core'
import fc from 'fast-check'
import { startRedis } from './redis/server.js'
import { families, type Family } from './samples/families.js'
import { decisionFrom, follow } from './traffic/follow.js'
import { startsOf, traffic } from './traffic/traffic.js'

/**
 * Compares every algorithm with its model for its share of ten million random steps, over memory or over a new Redis server. It ends at the first
 * difference, and prints the traffic that shows it and the seed that repeats it:
 * `pnpm --filter @sluice/conformance long-run [steps] [seed] [--redis]`.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { redis: { type: 'boolean', default: false } },
})
const [steps = 10_000_000, firstSeed = Date.now() % 2 ** 31] = positionals.map(Number)

/** The number of chunks at the same time: over Redis, their requests are then sent in batches. */
const lanes = values.redis ? 32 : 1
const runsPerChunk = values.redis ? 60 : 500

const server = values.redis ? await startRedis() : undefined
const client = server?.client()
const redis = client && redisStore(client, { timeout: '10s' })
const started = performance.now()
let seed = firstSeed
let done = 0

try {
  for (const [i, family] of families.entries()) {
    const share = Math.floor((steps * (i + 1)) / families.length)
    while (done < share) {
      const chunks = await Promise.all(Array.from({ length: lanes }, async () => chunk(family)))
      for (const taken of chunks) done += taken
      await client?.flushall()
      report(family)
    }
  }
} finally {
  process.stdout.write('\n')
  await server?.stop()
}

/** Takes a few hundred or thousand steps, so that a failure is found again by its seed in a moment, and returns their number. */
async function chunk({ samples }: Family): Promise<number> {
  let count = 0
  const cases = fc
    .constantFrom(...samples.keys())
    .chain((index) => startsOf(samples[index]).map((start) => ({ index, start })))
  const property = fc.asyncProperty(cases, traffic, async ({ index, start }, taken) => {
    count += taken.length
    const store: Store = redis ?? memoryStore()
    const answers = await follow(samples[index], store, randomUUID(), start, taken)
    for (const { decision, expected, ...asked } of answers) {
      const right = decisionFrom(expected)
      if (!isDeepStrictEqual({ ...decision }, right)) {
        const policy = JSON.stringify(samples[index].policy)
        throw new Error(
          `${policy}, asked ${inspect(asked)}, said ${inspect(decision)}, not ${inspect(right)}`,
        )
      }
    }
  })
  await fc.assert(property, { numRuns: runsPerChunk, seed: seed++ })
  return count
}

function report({ name }: Family): void {
  const seconds = Math.round((performance.now() - started) / 1000)
  const million = (done / 1e6).toFixed(2)
  const line = `${million} of ${steps / 1e6} million steps, ${seconds} s, seed ${seed}: ${name}`
  process.stdout.write(process.stdout.isTTY ? `\r\u001B[K${line}` : `${line}\n`)
}
