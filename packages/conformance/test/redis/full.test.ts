import { randomUUID } from 'node:crypto'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  redisStore,
  slidingLog,
  SluiceError,
  tokenBucket,
  type Policies,
} from '@sluice/core'
import { families } from '@sluice/conformance'
import { useRedis } from '@sluice/test-kit/redis'
import { afterEach, describe, expect, test } from 'vitest'

const maxMemory = 2.5 * 2 ** 20

const settings = ['--maxmemory', `${maxMemory}`, '--maxmemory-policy', 'noeviction']
const server = useRedis({ settings })
afterEach(async () => {
  await server.connection.flushall()
  await server.connection.config('SET', 'maxmemory', maxMemory)
})

const log = slidingLog({ limit: 5, window: '1h' })
const leases = concurrency({ limit: 5, lease: '1h' })

function limiterOf(policies: Policies, name: string = randomUUID()) {
  const store = redisStore(server.connection, { timeout: '1m' })
  return createLimiter({ name, policies, store, onStoreError: 'deny', denyCache: false })
}

/** Leaves no free memory: an empty server uses more than this. */
async function fillUp(): Promise<void> {
  await server.connection.config('SET', 'maxmemory', 100_000)
}

async function refusalOf(call: PromiseLike<unknown>): Promise<unknown> {
  try {
    return await call
  } catch (error) {
    return error instanceof SluiceError && /OOM/.test(error.message) ? error.code : error
  }
}

test.each([
  ['slidingLog', log],
  ['concurrency', leases],
  ['fixedWindow', fixedWindow({ limit: 5, window: '1h' })],
])('a flood of new keys stops at the memory limit: %s', async (_, policies) => {
  const limiter = limiterOf(policies)
  let denied = 0
  for (let i = 0; i < 200 && denied <= 1000; i++) {
    const flood = Array.from({ length: 100 }, (_, j) => limiter.consume(`${i} ${j}`))
    denied += (await Promise.all(flood)).filter(({ source }) => source === 'closed').length
  }
  expect(denied > 1000).toBe(true)
  const [, used] = /used_memory:(\d+)/.exec(await server.connection.info('memory')) ?? []
  // Redis accepts or refuses a call as a whole.
  expect(Number(used)).toBeLessThan(maxMemory + 300_000)
})

describe('when memory is full', () => {
  const samples = families
    .filter(({ name }) => !name.endsWith('with a block'))
    .map(({ name, samples }) => [name, samples.filter(({ quota }) => quota > 2)] as const)

  test.each(samples)(
    '%s: a call that needs memory does nothing, and fails as a store error',
    async (_, [{ policy, meaning }]) => {
      const limiter = limiterOf(policy)
      await fillUp()
      const keys = await server.connection.dbsize()
      const decisions = await Promise.all(
        Array.from({ length: 50 }, (_, i) => limiter.consume(`${i}`)),
      )
      expect(decisions.map(({ source }) => source)).toEqual(Array(50).fill('closed'))
      expect(await refusalOf(limiter.penalize('key', 1))).toBe('SLUICE_STORE_FAILED')
      expect(await refusalOf(limiter.block('key', '1m'))).toBe('SLUICE_STORE_FAILED')
      expect(await refusalOf(limiter.exempt('key', '1m'))).toBe('SLUICE_STORE_FAILED')
      expect(await refusalOf(limiter.unblock('key'))).toBe(undefined)
      expect(await refusalOf(limiter.unexempt('key'))).toBe(undefined)
      // These calls would create the row of a bucket that does not start full. All other policies have nothing to write.
      const outcome = meaning.born === undefined ? true : 'SLUICE_STORE_FAILED'
      expect(await refusalOf(limiter.refund('key'))).toBe(outcome)
      expect(await refusalOf(limiter.reset('key'))).toBe(outcome)
      expect((await limiter.peek('key')).source).toBe('store')
      expect(await server.connection.dbsize()).toBe(keys)
    },
  )

  test.each(samples)(
    '%s: requests of an exempt key are allowed',
    async (_, [{ policy, quota }]) => {
      const limiter = limiterOf(policy)
      await limiter.exempt('key', '1m')
      await fillUp()
      for (const cost of [1, quota + 1]) {
        expect(await limiter.consume('key', { cost })).toMatchObject({
          source: 'store',
          exempt: true,
        })
      }
      await limiter.unexempt('key')
      expect('exempt' in (await limiter.peek('key'))).toBe(false)
    },
  )

  test('a denial that would start a block or create a bucket fails, and does neither', async () => {
    const block = { for: '1h', on: 'exceeded' } as const
    const blocking = limiterOf(slidingLog({ limit: 1, window: '1h', block }))
    await blocking.consume('key')
    const born = limiterOf(tokenBucket({ capacity: 5, refill: 1, every: '1h', initial: 0 }))
    await fillUp()
    expect((await blocking.consume('key')).source).toBe('closed')
    expect((await blocking.peek('key')).policies['default'].resetMs <= 3_600_000).toBe(true)
    // The row and the records of the log.
    expect(await server.connection.dbsize()).toBe(2)
    // The reset in the same call is executed first.
    const [, decision] = await Promise.all([blocking.reset('key'), born.consume('key')])
    expect(decision.source).toBe('closed')
    expect(await server.connection.dbsize()).toBe(0)
  })

  test.each([
    ['slidingLog', log],
    ['concurrency', leases],
    ['gcra', gcra({ limit: 5, window: '1h' })],
  ])('%s: units can be refunded, and new keys remain denied', async (_, policy) => {
    const limiter = limiterOf(policy)
    const held = []
    for (let i = 0; i < 6; i++) held.push(await limiter.consume(`held ${i}`))
    await fillUp()
    const keys = await server.connection.dbsize()
    const given = held.slice(0, 3).map((decision) => limiter.refund(decision))
    const asked = Array.from({ length: 60 }, (_, i) => limiter.consume(`new ${i}`))
    expect(await Promise.all(given)).toEqual([true, true, true])
    const decisions = await Promise.all(asked)
    expect(decisions.map(({ source }) => source)).toEqual(Array(60).fill('closed'))
    expect((await server.connection.dbsize()) <= keys).toBe(true)
    for (let i = 0; i < 3; i++) {
      expect((await limiter.peek(`held ${i}`, { cost: 0 })).remaining).toBe(5)
      expect((await limiter.peek(`held ${i + 3}`, { cost: 0 })).remaining).toBe(4)
    }
    expect(await limiter.reset('held 3')).toBe(true)
    expect((await limiter.peek('held 3', { cost: 0 })).remaining).toBe(5)
    expect(await limiter.refund('held 4')).toBe(true)
    expect((await limiter.peek('held 4', { cost: 0 })).remaining).toBe(5)
  })

  test('a lease can be renewed and released', async () => {
    const limiter = limiterOf(leases)
    const { lease } = await limiter.consume('key', { owner: 'ann' })
    await fillUp()
    expect(await lease?.renew()).toBe(true)
    expect(await lease?.release()).toBe(true)
    expect((await limiter.peek('key')).remaining).toBe(5)
  })
})

test('Redis decides again as soon as it has free memory', async () => {
  const limiter = limiterOf({ log, leases })
  await fillUp()
  expect((await limiter.consume('key')).source).toBe('closed')
  await server.connection.config('SET', 'maxmemory', maxMemory)
  expect(await limiter.consume('key')).toMatchObject({ source: 'store', remaining: 4 })
})
