import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { createLimiter } from '@sluice/core'
// #region better-sqlite3
import { sqliteStore } from '@sluice/sqlite'
import Database from 'better-sqlite3'

const database = new Database('limits.db')
const store = sqliteStore(database)
// #endregion

try {
  const limiter = createLimiter({ name: 'api', limit: 2, window: '1h', store })
  const decisions = [await limiter.consume('a'), await limiter.consume('a')]
  assert.deepEqual(
    decisions.map(({ remaining, source }) => [remaining, source]),
    [
      [1, 'store'],
      [0, 'store'],
    ],
  )
} finally {
  database.close()
  for (const ending of ['', '-wal', '-shm']) rmSync(`limits.db${ending}`, { force: true })
}
