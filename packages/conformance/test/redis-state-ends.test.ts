import { setTimeout as delay } from 'node:timers/promises'
import {
  createLimiter,
  fixedWindow,
  gcra,
  redisStore,
  type AsyncStore,
  type Policies,
} from '@sluice/core'
import { sizedAlgorithms } from '@sluice/conformance'
import { useRedis } from '@sluice/conformance/redis'
import { describe, expect, test } from 'vitest'

const server = useRedis()

function storeOf(prefix = 'sluice'): AsyncStore {
  return redisStore(server.connection, { timeout: '10s', prefix })
}

// State is kept for a second more than it counts, for a clock that steps back. These tests wait for that second at the same time.
describe.concurrent('expired state', () => {
  test('expired state is deleted soon, by the server’s clock', async () => {
    const limiters = sizedAlgorithms.map(({ name, sample }) =>
      createLimiter({ name, policies: sample(2, 40).policy, store: storeOf('short') }),
    )
    for (const limiter of limiters) {
      expect((await limiter.consume('key', { cost: 2 })).remaining).toBe(0)
    }
    const strings = (await server.connection.keys('short:*')).filter((key) => key.endsWith('}'))
    expect(strings.length).toBe(sizedAlgorithms.length)
    await delay(2 * 40 + 10)
    for (const limiter of limiters) expect((await limiter.peek('key')).remaining).toBe(2)
    await delay(1000)
    expect(await server.connection.keys('short:*')).toEqual([])
  })

  test('a block is removed by the first write after its end and the margin for a clock that steps back', async () => {
    const policies = fixedWindow({ limit: 5, window: '1h' })
    const limiter = createLimiter({ name: 'blocked', policies, store: storeOf(), denyCache: false })
    await limiter.consume('key')
    const bytes = await server.connection.strlen('sluice1:blocked:{key}')
    await limiter.block('key', '50ms')
    await delay(60)
    await limiter.consume('key')
    expect(await server.connection.strlen('sluice1:blocked:{key}')).toBeGreaterThan(bytes)
    await delay(1000)
    expect((await limiter.consume('key')).remaining).toBe(2)
    expect(await server.connection.strlen('sluice1:blocked:{key}')).toBe(bytes)
  })

  test('an exemption of a key without counts takes nine bytes, and is kept as long as it lasts and a second', async () => {
    const policies = fixedWindow({ limit: 5, window: '1h' })
    const limiter = createLimiter({ name: 'exempt', policies, store: storeOf(), denyCache: false })
    const state = 'sluice1:exempt:{key}'
    await limiter.exempt('key', '2h')
    expect(await server.connection.strlen(state)).toBe(1 + 6 + 2)
    expect(Math.ceil((await server.connection.pttl(state)) / 1000)).toBe(7201)
    await limiter.unexempt('key')
    expect(await server.connection.exists(state)).toBe(0)
    await limiter.consume('key')
    const bytes = await server.connection.strlen(state)
    await limiter.exempt('key', '50ms')
    await limiter.consume('key')
    await delay(60)
    expect('exempt' in (await limiter.consume('key'))).toBe(false)
    expect(await server.connection.strlen(state)).toBeGreaterThan(bytes)
    await delay(1000)
    expect((await limiter.consume('key')).remaining).toBe(2)
    expect(await server.connection.strlen(state)).toBe(bytes)
  })

  test('after a rolling deploy to another form of state, the state is as if there had been one version', async () => {
    const brief = fixedWindow({ limit: 5, window: '50ms' })
    const hour = { limit: 5, window: '1h' } as const
    const versions: readonly Policies[] = [
      { a: brief, b: brief },
      { a: gcra(hour), b: brief },
    ]
    const [before, after] = versions.map((policies) =>
      createLimiter({ name: 'api', policies, store: storeOf() }),
    )
    await before.consume('user')
    await after.consume('user')
    await after.consume('new')
    const { connection } = server
    const lengths = async () =>
      Promise.all(['user', 'new'].map((key) => connection.strlen(`sluice1:api:{${key}}`)))
    const [both, one] = await lengths()
    expect(both).toBeGreaterThan(one)
    await before.consume('user')
    await after.consume('user')
    await delay(1100)
    await after.consume('user')
    expect(await lengths()).toEqual([one, one])
    const state = await connection.getBuffer('sluice1:api:{user}')
    // In the order of the policies, which the script of the plan reads at once.
    expect(state?.subarray(0, 3)).toEqual(Buffer.from('\0\x01a'))
  })
})
