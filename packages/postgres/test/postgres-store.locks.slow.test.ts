import { setTimeout as delay } from 'node:timers/promises'
import { createLimiter, fixedWindow } from '@sluice/core'
import { askedDecisions } from '@sluice/conformance/databases'
import { usePostgres } from '@sluice/test-kit/postgres'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { postgresStore } from '../src/index.js'

const server = usePostgres()

// A migration takes the second one, for example to create an index. It stops writes only.
test.each(['access exclusive', 'share'])(
  'a table lock of the mode %s makes three decisions wait, and no other, until it is free',
  async (mode) => {
    const pool = new pg.Pool({ connectionString: server.url })
    const store = postgresStore(pool, { migrate: true })
    const limiter = createLimiter({
      name: mode,
      policies: fixedWindow({ limit: 1000, window: '1h' }),
      store,
    })
    const holder = new pg.Client({ connectionString: server.url })
    await holder.connect()
    onTestFinished(async () => {
      await holder.end()
      await pool.end()
    })
    await expect.poll(async () => (await limiter.consume('key')).source).toBe('store')
    // Each connection has prepared the statement before.
    for (let i = 0; i < 10; i++) await expect.poll(async () => store.ping()).toBe(true)
    await holder.query(`begin; lock table sluice in ${mode} mode`)
    await delay(300)
    expect(await askedDecisions(limiter, 'fallback')).toBe(3)
    expect(await store.ping()).toBe(false)
    // A ping does not wait at the server for as long as the lock is held.
    await expect.poll(() => pool.totalCount - pool.idleCount).toBeLessThanOrEqual(3)
    await holder.query('rollback')
    await expect.poll(async () => (await limiter.consume('key')).source).toBe('store')
    await expect.poll(async () => store.ping()).toBe(true)
  },
)
