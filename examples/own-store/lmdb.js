// A store of your own: the counts are in LMDB, a key-value database in a file that several processes share. The tests of @sluice/testing check it:
//
//   node lmdb.js
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
// #region program
import { createLimiter } from '@sluice/core'
import { databaseStore } from '@sluice/core/database'
// #endregion
// #region tests
import { describeDatabase } from '@sluice/testing'
// #endregion
// #region program
import { open } from 'lmdb'
// #endregion

const folder = mkdtempSync(join(tmpdir(), 'own-store-'))
process.chdir(folder)

// #region program
/** @returns {import('@sluice/core/database').Database} */
function lmdbDatabase(lmdb) {
  let cleanedTo

  function isCurrent({ key, version }) {
    const row = lmdb.get(key)
    return row?.version === version || (version === undefined && row.endsAt <= Date.now())
  }

  function write({ key, version, bytes, endsAt }) {
    // The first version is a random number, so that those of a deleted row do not return.
    const next = (version ?? Math.floor(Math.random() * 2 ** 52)) + 1
    if (bytes === undefined) lmdb.remove(key)
    else lmdb.put(key, { version: next, bytes, endsAt })
    return next
  }

  return {
    name: 'lmdb',

    async load(keys) {
      return { now: Date.now(), rows: keys.map((key) => lmdb.get(key)) }
    },

    save(groups, { from, until }) {
      return lmdb.transaction(() => {
        const now = Date.now()
        const isInSpan = from <= now && now <= until
        const saved = groups.map((changes) =>
          isInSpan && changes.every(isCurrent) ? changes.map(write) : undefined,
        )
        return { now, groups: saved }
      })
    },

    async clean() {
      const keys = [...lmdb.getKeys({ start: cleanedTo, limit: 200 })]
      cleanedTo = keys.length < 200 ? undefined : keys.at(-1)
      await lmdb.transaction(() => {
        for (const key of keys) if (lmdb.get(key)?.endsAt <= Date.now()) lmdb.remove(key)
      })
    },
  }
}

const lmdb = open({ path: 'limits' })
const store = databaseStore(lmdbDatabase(lmdb))
const limiter = createLimiter({ name: 'emails', limit: 100, window: '1h', store })

const { allowed, remaining } = await limiter.consume('user:42')
console.log(allowed ? `Sent. ${remaining} more this hour.` : 'Not sent.')
// #endregion

// #region tests
describeDatabase('lmdbDatabase', () => lmdbDatabase(lmdb))
// #endregion

after(async () => {
  await lmdb.close()
  rmSync(folder, { recursive: true })
})
