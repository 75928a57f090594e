import { setTimeout as delay } from 'node:timers/promises'
import { createLimiter, fixedWindow } from '@sluice/core'
import { usePostgres } from '@sluice/test-kit/postgres'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { postgresSchema, postgresStore } from '../src/index.js'

const server = usePostgres({ settings: ['-c', 'max_connections=30'] })

const outageMs = 2000
const backWithinMs = 5000

interface Trouble {
  begin(): Promise<unknown>
  end(): Promise<unknown>
  /** The counts before it are lost. */
  readonly empties?: boolean
  /** A save can have been counted whose reply was lost. */
  readonly losesReplies?: boolean
}

/** The ways in which a server stops answering. */
const troubles: Readonly<Record<string, (pool: pg.Pool) => Trouble>> = {
  'the server crashes': () => ({
    begin: () => server.crash(),
    end: () => server.restart(),
    empties: true,
  }),
  'the server is shut down': () => ({
    begin: () => server.shutDown(),
    end: () => server.restart(),
    losesReplies: true,
  }),
  'the server hangs': () => ({
    begin: async () => server.hang(),
    end: async () => server.resume(),
  }),
  'the table is locked'() {
    const holder = new pg.Client({ connectionString: server.url })
    return {
      async begin() {
        await holder.connect()
        await holder.query('begin; lock table sluice in access exclusive mode')
      },
      end: () => holder.end(),
    }
  },
  'the pool is full'(pool) {
    const taken: pg.PoolClient[] = []
    return {
      async begin() {
        for (let i = 0; i < pool.options.max; i++) taken.push(await pool.connect())
      },
      async end() {
        for (const client of taken) client.release()
      },
    }
  },
  'the table is new, as after a failover'() {
    const pool = new pg.Pool({ connectionString: server.url, max: 1 })
    return {
      begin: () => pool.query('alter table sluice rename to gone'),
      async end() {
        await pool.query(`drop table gone; ${postgresSchema()}`)
        await pool.end()
      },
      empties: true,
    }
  },
}

describe.each(Object.entries(troubles))('while %s', (name, make) => {
  test('no call waits until the end of the trouble, and afterwards the store decides again, exactly', async () => {
    const pool = new pg.Pool({
      connectionString: server.url,
      max: 10,
      connectionTimeoutMillis: 1000,
      query_timeout: 5000,
    })
    pool.on('error', () => {})
    onTestFinished(() => pool.end())
    await pool.query(postgresSchema())
    const limiter = createLimiter({
      name,
      policies: fixedWindow({ limit: 1_000_000, window: '1h' }),
      store: postgresStore(pool, { timeout: 250 }),
    })
    const taken = { store: 0, fallback: 0 }
    let inFlight = 0
    const over = new AbortController()

    async function traffic(key: string): Promise<void> {
      while (!over.signal.aborted) {
        inFlight++
        const { source } = await limiter.consume(key)
        inFlight--
        if (source === 'store') taken.store++
        else taken.fallback++
        await delay(5)
      }
    }

    await limiter.consume('warm')
    const clients = Array.from({ length: 8 }, () => traffic('key'))
    await delay(300)
    const trouble = make(pool)
    let unknown = inFlight
    await trouble.begin()
    await delay(200)
    if (trouble.empties === true) taken.store = 0
    const before = { ...taken }
    await delay(outageMs)
    expect(taken.store).toBe(before.store)
    // Each client has sent another call, and most of them many.
    expect(taken.fallback - before.fallback).toBeGreaterThan(2 * clients.length)
    // The application needs the other connections.
    if (name === 'the table is locked') {
      expect(pool.totalCount - pool.idleCount).toBeLessThanOrEqual(5)
    }
    await trouble.end()
    unknown += inFlight
    await expect
      .poll(() => taken.store, { timeout: backWithinMs })
      .toBeGreaterThan(before.store + 8)
    over.abort()
    await Promise.all(clients)

    // A unit whose answer was late is refunded within another round trip.
    const used = async (): Promise<number> => 1_000_000 - (await limiter.peek('key')).remaining
    const lost = trouble.losesReplies === true ? unknown : 0
    await expect.poll(used, { timeout: 5000 }).toBeLessThanOrEqual(taken.store + lost)
    expect(await used()).toBeGreaterThanOrEqual(taken.store)
  })
})
