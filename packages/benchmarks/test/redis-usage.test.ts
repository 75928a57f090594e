import { useRedis } from '@sluice/test-kit/redis'
import type { Redis } from 'ioredis'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { memoryOf, usageOf } from '../src/redis-usage.js'

const server = useRedis()
let client: Redis
beforeAll(async () => {
  client = server.client()
  await client.ping()
})
beforeEach(() => server.connection.flushall())

describe('the cost of some work for a server', () => {
  test('is nothing if there is no work', async () => {
    const { commands, bytesIn, bytesOut } = await usageOf(server.connection, async () => {})
    expect([commands.size, bytesIn, bytesOut]).toEqual([0, 0, 0])
  })

  test('is the bytes of its requests and replies, and each command, including those of scripts', async () => {
    const script = `redis.call('SET', KEYS[1], 1) return redis.call('DEL', KEYS[1])`
    const { commands, bytesIn, bytesOut } = await usageOf(server.connection, async () => {
      for (let i = 0; i < 7; i++) await client.incr('key')
      await client.eval(script, 1, 'other')
    })
    const calls = [...commands].map(([name, { calls }]) => `${calls} ${name}`)
    expect(calls.sort()).toEqual(['1 del', '1 eval', '1 set', '7 incr'])
    const incr = '*2\r\n$4\r\nincr\r\n$3\r\nkey\r\n'
    const ran = `*4\r\n$4\r\neval\r\n$${script.length}\r\n${script}\r\n$1\r\n1\r\n$5\r\nother\r\n`
    expect(bytesIn).toBe(7 * incr.length + ran.length)
    expect(bytesOut).toBe(8 * ':1\r\n'.length)
  })
})

describe('the memory of keys', () => {
  test('is the sum of MEMORY USAGE of all matching keys', async () => {
    await client.mset('a:1', 'x', 'a:2', 'y'.repeat(1000), 'b:1', 'z')
    const sizes = await Promise.all(['a:1', 'a:2'].map((key) => client.memory('USAGE', key)))
    expect(await memoryOf(server.connection, 'a:*')).toBe(Number(sizes[0]) + Number(sizes[1]))
  })

  test('counts every element of a value, even if they have different sizes', async () => {
    const small = Array.from({ length: 500 }, (_, i) => [`small ${i}`, 1]).flat()
    await client.hset('hash', ...small, 'large', 'x'.repeat(100_000))
    const bytes = await memoryOf(server.connection, 'hash')
    expect(Math.floor(bytes / 100_000)).toBe(1)
  })
})
