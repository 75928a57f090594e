import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual, inspect, parseArgs } from 'node:util'
import { memoryStore, redisStore, type AsyncStore, type Store } from '@sluice/core'
import fc from 'fast-check'
import { startRedis } from '@sluice/test-kit/redis'
import { families, type Family } from './samples/families.js'
import { compareStores } from './traffic/compare.js'
import { decisionFrom, follow } from './traffic/follow.js'
import { scenarios } from './traffic/scenarios.js'
import { startsOf, traffic } from './traffic/traffic.js'

/**
 * Takes ten million random steps, with the traffic of the tests, and ends at the first difference, with the traffic that shows it:
 * `npm run long-run -- [steps] [seed] [--redis | --stores] [--lanes 32]`. Without an option, it compares every algorithm with its model over
 * memory; `--redis` does so over a new Redis server, and `--stores` compares memory with Redis, with all verbs. The progress names the seeds that
 * have passed: a later run continues with the next one, and a run of one step with one lane repeats a seed.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    redis: { type: 'boolean', default: false },
    stores: { type: 'boolean', default: false },
    lanes: { type: 'string' },
  },
})
const [steps = 10_000_000, firstSeed = Date.now() % 2 ** 31] = positionals.map(Number)
const isOverRedis = values.redis || values.stores

/** The number of chunks at the same time, so that over Redis none waits for the replies to another. */
const lanes = Number(values.lanes ?? (isOverRedis ? 32 : 1))
const runsPerChunk = isOverRedis ? 10 : 500

/** Longer than in the tests, because a new limiter costs more than a call. */
const longScenarios = scenarios(120)

/** A part of the run, which has the same share of the steps as each other part. */
interface Part {
  readonly name: string
  /** Takes some steps over Redis, or over memory without a store, and returns their number. */
  chunk(seed: number, redis: AsyncStore | undefined): Promise<number>
}

const parts: readonly Part[] = values.stores
  ? [{ name: 'memory against Redis', chunk: compareBoth }]
  : families.map((family) => ({
      name: family.name,
      chunk: async (seed, redis) => compareWithModel(family, seed, redis),
    }))

const server = isOverRedis ? await startRedis() : undefined
const client = server?.client()
const started = performance.now()
let seed = firstSeed
let done = 0

try {
  for (const [i, part] of parts.entries()) {
    const share = Math.ceil((steps * (i + 1)) / parts.length)
    while (done < share) {
      // A store each, because it takes limiters of 256 different lists of policies at most.
      const chunks = Array.from({ length: lanes }, async () =>
        part.chunk(seed++, client && redisStore(client, { timeout: '60s' })),
      )
      for (const taken of await Promise.all(chunks)) done += taken
      await client?.flushall()
      await client?.script('FLUSH')
      report(part)
    }
  }
} finally {
  process.stdout.write('\n')
  await server?.stop()
}

async function compareBoth(seed: number, redis: AsyncStore | undefined): Promise<number> {
  let count = 0
  const property = fc.asyncProperty(longScenarios, async (scenario) => {
    const difference = redis && (await compareStores(scenario, redis))
    if (difference !== undefined) throw new Error(inspect(difference, { depth: 8 }))
    count += scenario.commands.length
  })
  await fc.assert(property, { numRuns: runsPerChunk, seed })
  return count
}

async function compareWithModel(
  { samples }: Family,
  seed: number,
  redis: AsyncStore | undefined,
): Promise<number> {
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
  await fc.assert(property, { numRuns: runsPerChunk, seed })
  return count
}

function report({ name }: Part): void {
  const seconds = Math.round((performance.now() - started) / 1000)
  const million = (done / 1e6).toFixed(2)
  const line = `${million} of ${steps / 1e6} million steps, ${seconds} s, next seed ${seed}: ${name}`
  process.stdout.write(process.stdout.isTTY ? `\r\u001B[K${line}` : `${line}\n`)
}
