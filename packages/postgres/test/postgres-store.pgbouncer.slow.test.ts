import { startPgbouncer, usePostgres } from '@sluice/test-kit/postgres'
import { createLimiter, fixedWindow, slidingLog } from '@sluice/core'
import pg from 'pg'
import postgres from 'postgres'
import { expect, onTestFinished, test } from 'vitest'
import { postgresSchema, postgresStore, type PostgresClient } from '../src/index.js'

const server = usePostgres()

const clients: Readonly<Record<string, (url: string) => PostgresClient>> = {
  pg(url) {
    const pool = new pg.Pool({ connectionString: url, max: 6 })
    onTestFinished(() => pool.end())
    return pool
  },
  'postgres.js'(url) {
    const sql = postgres(url, { max: 6, onnotice() {} })
    onTestFinished(() => sql.end())
    return sql
  },
}

const cases = (['transaction', 'statement'] as const).flatMap((mode) =>
  Object.keys(clients).flatMap((client) =>
    [true, false].map((prepare) => ({ mode, client, prepare })),
  ),
)

test.each(cases)(
  'three processes count exactly behind a pgbouncer: $client, mode $mode, prepare $prepare',
  async ({ mode, client, prepare }) => {
    const pooler = await startPgbouncer(server, mode)
    onTestFinished(() => pooler.stop())
    const admin = new pg.Client({ connectionString: server.url })
    await admin.connect()
    await admin.query(postgresSchema())
    await admin.end()
    const limiters = [1, 2, 3].map(() =>
      createLimiter({
        name: `${mode} ${client} ${prepare}`,
        policies: {
          all: fixedWindow({ limit: 100, window: '1h' }),
          each: slidingLog({ limit: 40, window: '1h' }),
        },
        store: postgresStore(clients[client](pooler.url), { prepare, timeout: '20s' }),
        onStoreError: 'deny',
        denyCache: false,
      }),
    )
    const decisions = await Promise.all(
      limiters.flatMap((limiter) =>
        Array.from({ length: 60 }, async (_, n) =>
          limiter.consume({ all: 'all', each: ['each', n % 3] }),
        ),
      ),
    )
    expect(new Set(decisions.map(({ source }) => source))).toEqual(new Set(['store']))
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(100)
  },
)
