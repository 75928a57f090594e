import { afterEach, beforeEach, expect, test } from 'vitest'
import { MapDatabase } from '@sluice/test-kit/map-database'
import { createLimiter, fixedWindow, type AsyncStore, type Limiter } from '../../../src/index.js'
import { databaseStore, type Database } from '../../../src/stores/database/index.js'
import { holdTime, pass, releaseTime } from '../pipeline/stub-store.js'

beforeEach(holdTime)
afterEach(releaseTime)

/** A database that answers pings. Its other calls have no answer, not even late, until `isSilent` is set to false. */
function createScene() {
  const map = new MapDatabase()
  const scene = {
    isSilent: true,
    /** The keys of each call. */
    calls: [] as (readonly string[])[],
    async consume(key: string): Promise<string> {
      const decision = limiter.consume(key)
      await pass(20)
      return (await decision).source
    },
  }

  function answer<T>(keys: readonly string[], call: () => Promise<T>): Promise<T> {
    scene.calls.push(keys)
    return scene.isSilent ? new Promise<never>(() => {}) : call()
  }

  const database: Database = {
    name: 'silent',
    load: (keys) => (keys.length === 0 ? map.load(keys) : answer(keys, () => map.load(keys))),
    save: (groups, span) => {
      const keys = groups.flat().map(({ key }) => key)
      return answer(keys, () => map.save(groups, span))
    },
  }
  const limiter: Limiter<AsyncStore> = createLimiter({
    name: 'api',
    policies: fixedWindow({ limit: 5, window: '1h' }),
    store: databaseStore(database, { timeout: 20 }),
    onStoreError: 'deny',
  })
  return scene
}

test('a database that never answers has four calls in half a minute, however many requests there are', async () => {
  const scene = createScene()
  const perMinute: number[] = []
  for (let minute = 0; minute < 5; minute++) {
    scene.calls.length = 0
    for (let i = 0; i < 600; i++) {
      expect(await scene.consume(`key ${i}`)).toBe('closed')
      await pass(80)
    }
    perMinute.push(scene.calls.length)
  }
  expect(perMinute).toEqual([8, 8, 8, 8, 8])
})

test('calls that are never answered do not prevent recovery, and requests that have expired are not sent', async () => {
  const scene = createScene()
  for (let i = 0; scene.calls.length < 4; i++) {
    expect(await scene.consume(`silent ${i}`)).toBe('closed')
    await pass(200)
  }
  scene.isSilent = false
  for (let i = 0; i < 100; i++) {
    expect(await scene.consume(`waiting ${i}`)).toBe('closed')
    await pass(200)
  }
  expect(scene.calls).toHaveLength(4)
  await pass(30_000)
  // The breaker tries the database with one request.
  await scene.consume('first')
  await pass(200)
  expect(await scene.consume('key')).toBe('store')
  expect(scene.calls.slice(4).flat()).not.toContainEqual(expect.stringContaining('waiting'))
})
