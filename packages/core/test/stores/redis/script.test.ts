import { createHash, randomUUID } from 'node:crypto'
import {
  createLimiter,
  fixedWindow,
  gcra,
  notLimited,
  redisStore,
  slidingWindow,
  tokenBucket,
  type Policies,
  type RedisClient,
} from '@sluice/core'
import { useRedis } from '@sluice/test-kit/redis'
import type { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'

const server = useRedis()

const three = {
  window: fixedWindow({ limit: 1000, window: '1h' }),
  sliding: slidingWindow({ limit: 1000, window: '1h' }),
  pace: gcra({ limit: 1000, window: '1h' }),
}

describe('a decision by three policies', () => {
  test('is one command on the wire, for every verb and outcome', async () => {
    const limiter = createLimiter({
      name: randomUUID(),
      policies: three,
      store: unhurried(server.connection),
    })
    await limiter.consume('key')
    await limiter.consume({ window: 'a', sliding: 'b', pace: 'c' })
    await limiter.reset('key')
    await server.connection.del(await server.connection.keys('*'))
    const commands = await watch(server.connection, async () => {
      await limiter.consume('key')
      await limiter.consume('key', { cost: 1001 })
      await limiter.peek('key')
      await limiter.consume({ window: 'a', sliding: 'b', pace: 'c' })
      await limiter.reset('key')
    })
    expect(commands).toEqual(['evalsha', 'evalsha', 'evalsha', 'evalsha', 'evalsha'])
  })

  test('whose key excludes every policy sends no command', async () => {
    const limiter = createLimiter({
      name: randomUUID(),
      policies: three,
      store: unhurried(server.connection),
    })
    const commands = await watch(server.connection, async () => {
      const { allowed } = await limiter.consume({
        window: notLimited,
        sliding: notLimited,
        pace: notLimited,
      })
      expect(allowed).toBe(true)
    })
    expect(commands).toEqual([])
  })
})

describe('the script of the verbs that do not decide', () => {
  test('contains the algorithms in use and no others', async () => {
    const [fixed] = await algorithmsSent(three.window)
    const [sliding] = await algorithmsSent(three.sliding)
    const [pace] = await algorithmsSent(three.pace)
    expect(new Set([fixed, sliding, pace]).size).toBe(3)
    expect(await algorithmsSent(three.window)).toEqual([fixed])
    expect(await algorithmsSent({ a: three.pace, b: three.window })).toEqual([fixed, pace].sort())
    expect(await algorithmsSent(three)).toEqual([fixed, sliding, pace].sort())
  })

  test('is the same for a bucket as for gcra, and for any numbers', async () => {
    const bucket = tokenBucket({ capacity: 3, refill: 1, every: '1s' })
    expect(await scriptSent(bucket)).toBe(await scriptSent(three.pace))
    expect(await scriptSent({ a: bucket, b: three.pace })).toBe(await scriptSent(three.pace))
  })
})

describe('the script of decisions', () => {
  test('is the same for a bucket as for gcra, and for any numbers and names', async () => {
    const bucket = tokenBucket({ capacity: 3, refill: 1, every: '1s' })
    expect(await scriptSent(bucket, 'consume')).toBe(await scriptSent(three.pace, 'consume'))
    expect(await scriptSent({ a: bucket, b: three.window }, 'consume')).toBe(
      await scriptSent({ pace: three.pace, window: three.window }, 'consume'),
    )
  })

  test('is sent once, and then called by its digest', async () => {
    await server.connection.script('FLUSH')
    const limiter = createLimiter({
      name: randomUUID(),
      policies: three,
      store: unhurried(server.connection),
    })
    const commands = await watch(server.connection, async () => {
      for (let i = 0; i < 3; i++) await limiter.consume('key')
    })
    expect(commands).toEqual(['eval', 'evalsha', 'evalsha'])
  })

  test('loses no request and counts none twice if the server forgets it during traffic', async () => {
    const limiter = createLimiter({
      name: randomUUID(),
      policies: three,
      store: unhurried(server.connection),
    })
    const other = server.client()
    const replies = []
    for (let i = 0; i < 300; i++) {
      replies.push(limiter.consume('key'))
      if (i % 10 === 0) await other.script('FLUSH')
    }
    const decisions = await Promise.all(replies)
    expect(decisions.map(({ allowed }) => allowed)).toEqual(Array(300).fill(true))
    const { policies } = await limiter.peek('key')
    // "pace" makes a unit available each 3.6 s, so its number depends on the duration of this test.
    expect([policies['window'].remaining, policies['sliding'].remaining]).toEqual([700, 700])
  })
})

function unhurried(redis: Redis) {
  return redisStore(redis, { timeout: '10s' })
}

/** The commands that clients send during this traffic, without those of scripts. */
async function watch(redis: Redis, traffic: () => Promise<void>): Promise<string[]> {
  const monitor = await redis.monitor()
  const commands: string[] = []
  const end = randomUUID()
  const ended = new Promise<void>((resolve) => {
    monitor.on('monitor', (_time: string, [command, ...args]: string[], source: string) => {
      if (args.includes(end)) resolve()
      else if (source !== 'lua') commands.push(command)
    })
  })
  await traffic()
  await redis.echo(end)
  await ended
  monitor.disconnect()
  return commands
}

/** The script that a limiter with these policies sends for `consume` or `reset` to a server that does not have it. */
async function scriptSent(
  policies: Policies,
  method: 'consume' | 'reset' = 'reset',
): Promise<string> {
  const scripts: string[] = []
  const recording: RedisClient = {
    isCluster: false,
    evalSha: (digest, keys, args) =>
      server.connection.evalsha(digest, keys.length, ...keys, ...args),
    eval(script, keys, args) {
      scripts.push(script)
      return server.connection.eval(script, keys.length, ...keys, ...args)
    },
  }
  await server.connection.script('FLUSH')
  const store = redisStore(recording, { timeout: '10s' })
  await createLimiter({ name: randomUUID(), policies, store })[method]('key')
  expect(scripts).toHaveLength(1)
  return scripts[0]
}

/** A digest of each algorithm in the script: it begins with `[id] =` and ends where the next one begins. */
async function algorithmsSent(policies: Policies): Promise<string[]> {
  const script = await scriptSent(policies)
  const table = /^local algorithms = \{\n([\s\S]*?)^\}$/m.exec(script)
  const bodies = (table?.[1] ?? '').split(/^(?=\[\d+\] = )/m)
  return bodies.map((body) => createHash('sha1').update(body).digest('hex')).sort()
}
