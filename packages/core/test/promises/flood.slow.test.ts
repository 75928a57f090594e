import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
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

/** The percentage of event loop turns that must be on time. Tests share their machine, so the short run checks only half of the turns. */
const onTime = whole === undefined ? 50 : 99
/** The largest delay of these turns. Tests share their machine; a scan of the store for each key would add seconds. */
const mostLateMs = whole === undefined ? 25 : 5
const patienceMs = 30_000 + keys / 20

/** Requests in one turn of the event loop, as on a busy server. */
const together = 50

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

interface Figures {
  readonly grownMb: number
  /** The largest delay among the turns that must be on time. */
  readonly lateMs: number
}

/** Sends this many keys, each once, and returns how much memory has grown since the store was full: after `full` keys at the latest. */
async function flood(
  count: number,
  full: number,
  send: (key: string) => unknown,
): Promise<Figures> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  let settled = 0
  delay.enable()
  for (let i = 0; i < count; i += together) {
    const answers: unknown[] = []
    for (let j = i; j < Math.min(i + together, count); j++) answers.push(send(`flood ${j}`))
    await Promise.all(answers)
    await turn()
    if (settled === 0 && i >= full) settled = memoryInUse()
  }
  delay.disable()
  // The monitor expects one event each millisecond.
  const lateMs = delay.percentile(onTime) / 1e6 - 1
  const figures = { grownMb: (memoryInUse() - settled) / 2 ** 20, lateMs }
  if (whole !== undefined) {
    process.stdout.write(`${expect.getState().currentTestName}: ${JSON.stringify(figures)}\n`)
  }
  return figures
}

function memoryInUse(): number {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
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
    'keeps its size, its speed and its denials under a flood: %s',
    async (_, policies) => {
      const store = memoryStore({ maxKeys: 100_000 })
      const limiter = createLimiter({ name: 'api', policies, store })
      for (const key of victims) for (let i = 0; i < 6; i++) limiter.consume(key)
      const { grownMb, lateMs } = await flood(keys, 150_000, limiter.consume)
      expect([store.size, store.evicted, await letIn(limiter)]).toEqual([100_000, 0, 0])
      expect(grownMb).toBeLessThan(2)
      expect(lateMs).toBeLessThan(mostLateMs)
    },
    patienceMs,
  )

  test(
    'keeps its size under a flood of policy names, one for each client',
    async () => {
      const store = memoryStore({ maxKeys: 1000 })
      const policy = fixedWindow({ limit: 5, window: '1h' })
      const limiter = createLimiter({ name: 'api', policies: policy, store })
      const { grownMb } = await flood(60_000, 20_000, (name) =>
        limiter.consume('key', { policies: { [name]: policy } }),
      )
      expect(store.size).toBe(1000)
      expect(grownMb).toBeLessThan(2)
    },
    patienceMs,
  )

  test(
    'keeps its speed under a flood in which each key uses its whole quota',
    async () => {
      const store = memoryStore({ maxKeys: 100_000 })
      const policies = fixedWindow({ limit: 1, window: '1h' })
      const limiter = createLimiter({ name: 'api', policies, store })
      for (let i = 0; i < 100_000; i++) limiter.consume(`early ${i}`)
      const { lateMs } = await flood(20_000, 5000, limiter.consume)
      expect(lateMs).toBeLessThan(mostLateMs)
    },
    patienceMs,
  )
})

test(
  'the fallback keeps its size, its speed and its denials under a flood',
  async () => {
    const gone = async () => Promise.reject(new Error('ECONNREFUSED'))
    const client: RedisClient = { isCluster: false, evalSha: gone, eval: gone }
    const policies = fixedWindow({ limit: 5, window: '1h' })
    const limiter = createLimiter({ name: 'api', policies, store: redisStore(client) })
    for (const key of victims) for (let i = 0; i < 6; i++) await limiter.consume(key)
    const { grownMb, lateMs } = await flood(keys, 150_000, limiter.consume)
    expect(await letIn(limiter)).toBe(0)
    expect(grownMb).toBeLessThan(2)
    expect(lateMs).toBeLessThan(mostLateMs)
  },
  patienceMs,
)

describe('on a real Redis', () => {
  const server = useRedis()

  test(
    'the deny cache keeps its size and its speed under a flood of denied keys',
    async () => {
      const policies = fixedWindow({ limit: 0, window: '1h' })
      const store = redisStore(server.client(), { timeout: '10s' })
      const limiter = createLimiter({ name: 'api', policies, store })
      const count = 30_000 + keys / 100
      const { grownMb, lateMs } = await flood(count, 15_000, limiter.consume)
      const late = await limiter.consume(`flood ${count - 1}`)
      const early = await limiter.consume('flood 0')
      expect([late.source, early.source]).toEqual(['local', 'store'])
      expect(grownMb).toBeLessThan(5)
      expect(lateMs).toBeLessThan(mostLateMs)
    },
    patienceMs,
  )
})
