import { describe, expect, test } from 'vitest'
import { MapDatabase } from '@sluice/test-kit/map-database'
import { createLimiter, type AsyncStore, type Limiter } from '../../../src/index.js'
import { databaseStore, type Database } from '../../../src/stores/database/index.js'
import { rejectionOf } from '../../error-of.js'

function limiterOver(database: Database, rememberedRows = 10_000): Limiter<AsyncStore> {
  const store = databaseStore(database, { timeout: '10s', rememberedRows })
  return createLimiter({ name: 'api', limit: 5, window: '1m', store, onStoreError: 'deny' })
}

describe('a time with a fraction of a millisecond', () => {
  for (const rememberedRows of [0, 10_000]) {
    for (const returnsRows of [true, false]) {
      test(`decides with ${rememberedRows} remembered rows, and ${returnsRows ? 'the' : 'no'} rows of a conflict`, async () => {
        const clock = (): number => performance.timeOrigin + performance.now()
        const settings = { clock, rows: new Map(), returnsRows }
        const limiter = limiterOver(new MapDatabase(settings), rememberedRows)
        const other = limiterOver(new MapDatabase(settings), rememberedRows)
        for (let i = 0; i < 5; i++) {
          const decision = await (i % 2 === 0 ? limiter : other).consume('key')
          expect(decision).toMatchObject({ source: 'store', allowed: true, remaining: 4 - i })
        }
        expect(await limiter.consume('key')).toMatchObject({ source: 'store', allowed: false })
      })
    }
  }
})

describe.each([
  ['undefined', undefined],
  ['NaN', NaN],
  ['a text', '2026-01-01T00:00:00Z'],
])('a time that is %s', (_, value) => {
  for (const from of ['load', 'save'] as const) {
    test(`is a failure of the store, in the reply to ${from}`, async () => {
      const map = new MapDatabase()
      const timed = <T>(call: 'load' | 'save', reply: T): T =>
        call === from ? (Object.assign(reply as object, { now: value }) as T) : reply
      const limiter = limiterOver({
        name: 'map',
        load: async (keys) => timed('load', await map.load(keys)),
        save: async (groups, span) => timed('save', await map.save(groups, span)),
      })
      const error = await rejectionOf(limiter.penalize('key', 1))
      expect(error).toMatchObject({
        code: 'SLUICE_STORE_FAILED',
        message: expect.stringContaining(`returned ${value} as its time`),
      })
      expect((await limiter.consume('key')).source).toBe('closed')
    })
  }
})
