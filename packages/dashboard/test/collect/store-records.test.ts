import { createLimiter, redisStore, type FallbackEvent, type StoreErrorEvent } from '@sluice/core'
import { startRedis } from '@sluice/test-kit/redis'
import process from 'node:process'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Collector } from '../../src/collect/collector.js'
import { mergedStores, StoreRecords } from '../../src/collect/store-records.js'
import type { StoreView } from '../../src/index.js'
import { serveDashboard } from '../served.js'

test('a store that fails is shown with its state, its errors and the last of them', async () => {
  const server = await startRedis()
  onTestFinished(async () => server.stop())
  const client = server.client({ maxRetriesPerRequest: 0, retryStrategy: () => 20 })
  const store = redisStore(client, { timeout: 250 })
  const limiter = createLimiter({ name: 'failing', limit: 5, window: '1h', store })
  const board = await serveDashboard({ limiters: { limiter } })
  await client.ping()
  expect((await board.view()).stores).toEqual([])

  const began = Date.now()
  process.kill(server.pid, 'SIGSTOP')
  expect((await limiter.consume('ann')).source).toBe('fallback')
  const [first] = (await board.view()).stores
  expect(first).toMatchObject({
    name: 'redis',
    state: 'fallback',
    errors: 1,
    lastError: { code: 'SLUICE_STORE_TIMEOUT', message: expect.stringContaining('250 ms') },
  })
  expect(first.sinceAt).toBeGreaterThanOrEqual(began)
  await vi.waitFor(async () => {
    await limiter.consume('ann')
    expect((await board.view()).stores[0].state).toBe('open')
  }, 10_000)
  process.kill(server.pid, 'SIGCONT')
  await vi.waitFor(async () => {
    await limiter.consume('ann')
    expect((await board.view()).stores[0]).toMatchObject({ state: 'ok', sinceAt: null })
  }, 10_000)
  expect((await board.view()).limiters[0].policies[0].limit).toBe(5)
})

test('of a store in several processes, the worst state and the last error are shown', () => {
  const view = (changes: Partial<StoreView>): StoreView => {
    return { name: 'redis', state: 'ok', sinceAt: null, errors: 0, ...changes }
  }
  const errorAt = (at: number) => ({ code: 'SLUICE_STORE_FAILED', message: `at ${at}`, at })
  const all = [
    [view({ errors: 2, lastError: errorAt(30) }), view({ name: 'map' })],
    [view({ state: 'open', sinceAt: 20, errors: 3, lastError: errorAt(25) })],
    [view({ state: 'fallback', sinceAt: 10 })],
  ]
  for (const processes of [all, all.toReversed()]) {
    expect(mergedStores(processes)).toEqual([
      view({ state: 'open', sinceAt: 10, errors: 5, lastError: errorAt(30) }),
      view({ name: 'map' }),
    ])
  }
})

test('errors of more than an hour ago are not counted', async () => {
  const { channel } = await import('node:diagnostics_channel')
  const clock = Object.assign(() => clock.now, { now: Date.UTC(2026, 0, 1) })
  const board = await serveDashboard({ clock })
  const publish = (): void => {
    const error = { code: 'SLUICE_STORE_FAILED', message: 'x'.repeat(1000) }
    channel('sluice:store:error').publish({ store: 'redis', error })
  }
  publish()
  clock.now += 1_800_000
  publish()
  const errors = async () => (await board.view()).stores[0].errors
  expect(await errors()).toBe(2)
  expect((await board.view()).stores[0].lastError?.message.length).toBe(300)
  clock.now += 1_800_000
  expect(await errors()).toBe(1)
  clock.now += 1_800_000
  expect(await errors()).toBe(0)
  publish()
  // The clock is set back.
  clock.now -= 1_800_000
  expect(await errors()).toBe(0)
  publish()
  expect(await errors()).toBe(1)
})

describe('the limiters that decide without their store', () => {
  /** Records the events of two stores, which fail at different times. */
  function setUp() {
    const clock = { now: Date.UTC(2026, 0, 1) }
    const records = new StoreRecords(new Collector(() => clock.now, 1))
    const error = { code: 'SLUICE_STORE_FAILED', message: 'down' }
    return {
      clock,
      fail(store: string, limiter: string): void {
        records.noteError({ store, error } as StoreErrorEvent)
        records.noteFallback({ limiter, state: 'begun' } as FallbackEvent)
      },
      end: (limiter: string) => records.noteFallback({ limiter, state: 'ended' } as FallbackEvent),
      states: () => records.views().map(({ name, state, sinceAt }) => [name, state, sinceAt]),
    }
  }

  test.each([['first'], ['last']])(
    'the store of each is shown, also if the %s one has ended',
    (which) => {
      const { clock, fail, end, states } = setUp()
      const began = clock.now
      fail('redis', 'first')
      clock.now += 1000
      fail('postgres', 'last')
      clock.now += 1000
      end(which)
      expect(states()).toEqual([
        ['redis', which === 'first' ? 'ok' : 'fallback', which === 'first' ? null : began],
        ['postgres', which === 'last' ? 'ok' : 'fallback', which === 'last' ? null : began + 1000],
      ])
    },
  )

  test.each([
    [['a', 'b'], 0],
    [['a', 'b', 'a'], 1000],
  ])('after %j began, the store is shown since the first of them', (limiters, since) => {
    const { clock, fail, states } = setUp()
    const began = clock.now
    for (const limiter of limiters) {
      fail('redis', limiter)
      clock.now += 1000
    }
    expect(states()).toEqual([['redis', 'fallback', began + since]])
  })

  test('a store that has failed ten thousand limiters, one after another, shows the next one', () => {
    const { clock, fail, end, states } = setUp()
    for (let i = 0; i < 10_000; i++) {
      fail('redis', `limiter ${i}`)
      end(`limiter ${i}`)
    }
    expect(states()).toEqual([['redis', 'ok', null]])
    fail('redis', 'next')
    expect(states()).toEqual([['redis', 'fallback', clock.now]])
  })
})
