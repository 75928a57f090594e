import { execFile } from 'node:child_process'
import { setImmediate as turn } from 'node:timers/promises'
import { promisify } from 'node:util'
import {
  createLimiter,
  fixedWindow,
  memoryStore,
  redisStore,
  slidingWindow,
  type AsyncStore,
  type Limiter,
  type RedisClient,
  type SyncStore,
} from '@sluice/core'
import { useRedis } from '@sluice/test-kit/redis'
import { describe, expect, test } from 'vitest'

// More keys than the store can keep. `SLUICE_FLOOD_KEYS=10000000` runs the documented number of keys.

const whole = process.env['SLUICE_FLOOD_KEYS']
const keys = Number(whole ?? 200_000)

const patienceMs = 240_000 + keys / 20

/** Requests in one turn of the event loop, as on a busy server. */
const together = 50

/** Sends this many keys, each once. */
async function flood(count: number, send: (key: string) => unknown): Promise<void> {
  for (let i = 0; i < count; i += together) {
    const answers: unknown[] = []
    for (let j = i; j < Math.min(i + together, count); j++) answers.push(send(`flood ${j}`))
    await Promise.all(answers)
    await turn()
  }
}

const victims = Array.from({ length: 100 }, (_, i) => `victim ${i}`)

/** The number of clients over their limit that are allowed now. */
async function letIn(limiter: Limiter<SyncStore> | Limiter<AsyncStore>): Promise<number> {
  let count = 0
  for (const key of victims) if ((await limiter.consume(key)).allowed) count++
  return count
}

describe('a memory store', () => {
  test.each([
    ['fixedWindow', fixedWindow({ limit: 5, window: '1h' })],
    ['slidingWindow', slidingWindow({ limit: 5, window: '1d' })],
    ['a policy with a block', fixedWindow({ limit: 5, window: '1h', block: { for: '1h' } })],
  ])(
    'keeps its size and its denials under a flood: %s',
    async (_, policies) => {
      const store = memoryStore({ maxKeys: 100_000 })
      const limiter = createLimiter({ name: 'api', policies, store })
      for (const key of victims) for (let i = 0; i < 6; i++) limiter.consume(key)
      await flood(keys, limiter.consume)
      expect([store.size, store.evicted, await letIn(limiter)]).toEqual([100_000, 0, 0])
    },
    patienceMs,
  )

  test(
    'keeps its size under a flood of policy names, one for each client',
    async () => {
      // A compiled policy for each name would be 50 MB.
      const size = await printedInHeapOf(
        24,
        `const store = memoryStore({ maxKeys: 1000 })
        const policies = fixedWindow({ limit: 5, window: '1h' })
        const limiter = createLimiter({ name: 'api', policies, store })
        for (let i = 0; i < 100_000; i++) {
          limiter.consume('key', { policies: { ['flood ' + i]: policies } })
        }
        console.log(store.size)`,
      )
      expect(size).toBe('1000\n')
    },
    patienceMs,
  )

  test(
    'looks at no more keys the more it has, under a flood in which each key uses its whole quota',
    async () => {
      const store = memoryStore({ maxKeys: 100_000 })
      const policies = fixedWindow({ limit: 1, window: '1h' })
      const limiter = createLimiter({ name: 'api', policies, store })
      for (let i = 0; i < 100_000; i++) limiter.consume(`early ${i}`)
      // A look at all keys for each of these would take minutes.
      await flood(100_000, limiter.consume)
      expect(store.size).toBe(100_000)
    },
    patienceMs,
  )
})

test(
  'the fallback keeps its denials under a flood',
  async () => {
    const gone = async () => Promise.reject(new Error('ECONNREFUSED'))
    const client: RedisClient = { isCluster: false, evalSha: gone, eval: gone }
    const policies = fixedWindow({ limit: 5, window: '1h' })
    const limiter = createLimiter({ name: 'api', policies, store: redisStore(client) })
    for (const key of victims) for (let i = 0; i < 6; i++) await limiter.consume(key)
    await flood(keys, limiter.consume)
    expect(await letIn(limiter)).toBe(0)
  },
  patienceMs,
)

test(
  'the fallback keeps its size under a flood',
  async () => {
    // All keys would be 60 MB. The fallback keeps 100,000.
    const answer = await printedInHeapOf(
      48,
      `const gone = async () => Promise.reject(new Error('ECONNREFUSED'))
      const client = { isCluster: false, evalSha: gone, eval: gone }
      const policies = fixedWindow({ limit: 5, window: '1h' })
      const limiter = createLimiter({ name: 'api', policies, store: redisStore(client) })
      for (let i = 0; i < 300_000; i += 50) {
        const keys = Array.from({ length: 50 }, (_, k) => 'flood ' + (i + k))
        await Promise.all(keys.map((key) => limiter.consume(key)))
      }
      console.log('done')`,
    )
    expect(answer).toBe('done\n')
  },
  patienceMs,
)

/** The output of a program in a process whose heap has no more megabytes. */
async function printedInHeapOf(megabytes: number, program: string): Promise<string> {
  const imports = `import { createLimiter, fixedWindow, memoryStore, redisStore } from '@sluice/core'\n`
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [`--max-old-space-size=${megabytes}`, '--input-type=module', '--eval', imports + program],
    { cwd: new URL('../..', import.meta.url) },
  )
  return stdout
}

describe('on a real Redis', () => {
  const server = useRedis()

  test(
    'the deny cache keeps its size under a flood of denied keys',
    async () => {
      const policies = fixedWindow({ limit: 0, window: '1h' })
      const store = redisStore(server.client(), { timeout: '10s' })
      const limiter = createLimiter({ name: 'api', policies, store })
      const count = 30_000 + keys / 100
      await flood(count, limiter.consume)
      const late = await limiter.consume(`flood ${count - 1}`)
      const early = await limiter.consume('flood 0')
      expect([late.source, early.source]).toEqual(['local', 'store'])
    },
    patienceMs,
  )
})
