import { setTimeout as delay } from 'node:timers/promises'
import {
  createLimiter,
  fixedWindow,
  gcra,
  redisStore,
  slidingLog,
  slidingWindow,
  tokenBucket,
  type Policy,
} from '@sluice/core'
import { startRedis, type RedisServer } from '@sluice/test-kit/redis'
import type { Redis } from 'ioredis'
import { afterEach, expect, test } from 'vitest'

// Measures the bound of promises.md, "Failover": exactly the units that the new master never received are allowed again.

const servers: RedisServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()))
})

async function started(...settings: string[]): Promise<RedisServer> {
  const server = await startRedis({ settings })
  servers.push(server)
  return server
}

async function admitted(client: Redis, policy: Policy, asked: number): Promise<number> {
  const store = redisStore(client, { timeout: '10s' })
  const limiter = createLimiter({ name: 'api', policies: policy, store })
  let count = 0
  for (let i = 0; i < asked; i++) {
    const { allowed, source } = await limiter.consume('ann')
    expect(['store', 'local']).toContain(source)
    if (allowed) count++
  }
  return count
}

const limit = 50

test.each([
  ['fixedWindow', fixedWindow({ limit, window: '1h' })],
  ['slidingWindow', slidingWindow({ limit, window: '365d' })],
  ['slidingLog', slidingLog({ limit, window: '1h' })],
  ['gcra', gcra({ limit, window: '365d' })],
  ['tokenBucket', tokenBucket({ capacity: limit, refill: 1, every: '1d' })],
])(
  'after a failover exactly the units that the new master never received are allowed again: %s',
  async (_, policy) => {
    const master = await started('--repl-diskless-sync-delay', '0')
    const replica = await started('--replicaof', `127.0.0.1 ${master.port}`)
    const client = master.client()
    const next = replica.client()
    expect(await admitted(client, policy, 20)).toBe(20)
    while ((await client.wait(1, 1000)) < 1) await delay(10)
    // From here on the replica receives nothing, like a lagging replica, until it becomes the master.
    await next.replicaof('NO', 'ONE')
    expect(await admitted(client, policy, 17)).toBe(17)
    process.kill(master.pid, 'SIGKILL')
    expect(await admitted(next, policy, limit + 10)).toBe(limit - 20)
  },
)
