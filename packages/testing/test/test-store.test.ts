import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createLimiter, fixedWindow, type AsyncStore, type Limiter } from '@sluice/core'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { testClock, testStore, type TestStore } from '../src/index.js'

function limiterOver(store: TestStore): Limiter<AsyncStore> {
  const policies = fixedWindow({ limit: 2, window: '1h' })
  return createLimiter({ name: 'api', policies, store, onStoreError: 'deny' })
}

describe('testStore', () => {
  test('counts for all limiters of a name', async () => {
    const store = testStore()
    expect((await limiterOver(store).consume('key')).remaining).toBe(1)
    expect((await limiterOver(store).consume('key')).remaining).toBe(0)
    expect((await limiterOver(testStore()).consume('key')).remaining).toBe(1)
  })

  test('fails while the test says so, with its error, and then has the counts of before', async () => {
    const store = testStore()
    const limiter = limiterOver(store)
    await limiter.consume('key')
    const errors: unknown[] = []
    const note = (event: unknown): void => void errors.push(event)
    subscribe('sluice:store:error', note)
    onTestFinished(() => void unsubscribe('sluice:store:error', note))
    store.fail(new Error('READONLY'))
    for (let i = 0; i < 5; i++) expect((await limiter.consume('key')).source).toBe('closed')
    expect(errors).toContainEqual(
      expect.objectContaining({
        error: expect.objectContaining({ message: 'the test store failed: READONLY' }),
      }),
    )
    expect(await store.ping()).toBe(false)
    store.recover()
    expect(await limiter.consume('key')).toMatchObject({ source: 'store', remaining: 0 })
    expect(await store.ping()).toBe(true)
  })

  test('is used at once after it has recovered, by each limiter', async () => {
    const store = testStore()
    const limiters = [limiterOver(store), limiterOver(store)]
    store.fail()
    for (let i = 0; i < 5; i++) await limiters[0].consume('key')
    store.recover()
    const decisions = await Promise.all(limiters.map((limiter) => limiter.consume('key')))
    expect(decisions.map(({ source, remaining }) => [source, remaining])).toEqual([
      ['store', 1],
      ['store', 0],
    ])
  })

  test('hangs for the timeout of each request', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const store = testStore({ timeout: '10s' })
    const limiter = limiterOver(store)
    store.hang()
    let settled = false
    const penalty = limiter.penalize('key', 1).finally(() => (settled = true))
    await vi.advanceTimersByTimeAsync(9000)
    expect(settled).toBe(false)
    void vi.advanceTimersByTimeAsync(1000)
    await expect(penalty).rejects.toMatchObject({ code: 'SLUICE_STORE_TIMEOUT' })
    store.recover()
    expect((await limiter.consume('key')).remaining).toBe(1)
  })

  test('answers no request after it was closed', async () => {
    const store = testStore()
    await store.close()
    await expect(limiterOver(store).penalize('key', 1)).rejects.toMatchObject({
      code: 'SLUICE_STORE_CLOSED',
    })
  })

  test('checks its options', () => {
    expect(() => testStore({ timeout: -1 })).toThrow('timeout')
  })
})

describe('testClock', () => {
  test('moves only when the test moves it', () => {
    const clock = testClock()
    expect(new Date(clock()).toISOString()).toBe('2030-01-01T00:00:00.000Z')
    clock.advance('1h')
    clock.advance(1)
    expect(new Date(clock()).toISOString()).toBe('2030-01-01T01:00:00.001Z')
  })

  test.each([
    [0, 0],
    [new Date('2031-05-01T12:00:00Z'), Date.UTC(2031, 4, 1, 12)],
  ])('starts at %s', (start, time) => {
    expect(testClock(start)()).toBe(time)
  })

  test.each([[NaN], [-1], [new Date('tomorrow')], [0.5]])('does not start at %s', (start) => {
    expect(() => testClock(start)).toThrow('the start is')
  })

  test.each([['1 fortnight'], [-1], [NaN], [undefined]])('does not advance by %s', (by) => {
    const { advance } = testClock()
    expect(() => Reflect.apply(advance, undefined, [by])).toThrow('the duration is')
  })

  test('moves a limiter over each store', async () => {
    const policies = fixedWindow({ limit: 1, window: '1h' })
    for (const store of [undefined, testStore()]) {
      const clock = testClock()
      const limiter = createLimiter({ name: 'api', policies, clock, ...(store && { store }) })
      expect((await limiter.consume('key')).allowed).toBe(true)
      clock.advance('59m')
      expect((await limiter.consume('key')).allowed).toBe(false)
      clock.advance('1m')
      expect((await limiter.consume('key')).allowed).toBe(true)
    }
  })
})
