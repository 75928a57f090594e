import { usePostgres } from '@sluice/test-kit/postgres'
import { useRedis } from '@sluice/test-kit/redis'
import { temporaryFile } from '@sluice/test-kit/sqlite'
import pg from 'pg'
import { expect, test } from 'vitest'
import { play } from '../src/exactness/play.js'
import { pairs } from '../src/exactness/policies.js'
import type { Shared } from '../src/exactness/servers.js'

// The long run covers every algorithm, a Cluster, eight processes and a million decisions: npm run exactness

const redis = useRedis()
const postgres = usePostgres()

async function expectExact(server: Shared, processes: number, policy: string): Promise<void> {
  const until = Date.now() + 60_000
  const task = { name: policy, policy, server, until }
  const { allowed, expected, wrong, withoutServer } = await play(processes, task, 3000)
  expect({ allowed, wrong, withoutServer }).toEqual({
    allowed: expected,
    wrong: 0,
    withoutServer: 0,
  })
}

test.each(['fixedWindow', 'slidingLog', 'gcra', 'concurrency'])(
  'several processes together allow exactly the limit: %s',
  (policy) => expectExact({ kind: 'Redis', ports: [redis.port] }, 3, policy),
)

test.each(['fixedWindow', 'concurrency', pairs])(
  'four processes on a PostgreSQL together allow exactly the limit: %s',
  (policy) => expectExact({ kind: 'PostgreSQL', url: postgres.url }, 4, policy),
)

test.each(['fixedWindow', 'concurrency', pairs])(
  'four processes on a file of SQLite together allow exactly the limit: %s',
  async (policy) => {
    const { file, remove } = temporaryFile()
    try {
      await expectExact({ kind: 'SQLite', file }, 4, policy)
    } finally {
      remove()
    }
  },
)

test('the calls of four processes on a PostgreSQL never wait for each other in a circle', async () => {
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  const { rows } = await client.query(
    'select sum(deadlocks)::int as deadlocks from pg_stat_database',
  )
  await client.end()
  expect(rows).toEqual([{ deadlocks: 0 }])
})
