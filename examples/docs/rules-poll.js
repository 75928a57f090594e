// @ts-nocheck -- the URL of the database can be unset
// Rules in a database.
import assert from 'node:assert/strict'
import { subscribe } from 'node:diagnostics_channel'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
// #region poll
import { loadRules, pollSource } from '@sluice/rules'
import { Redis } from 'ioredis'

const redis = new Redis(process.env.REDIS_URL ?? 'redis://localhost')
redis.on('error', (error) => console.error(`Redis: ${error.message}`))
// #endregion
const home = process.cwd()
const folder = await mkdtemp(join(tmpdir(), 'sluice-docs-'))
process.chdir(folder)
await redis.set('rules', 'version: 1\nname: db\nrules: [{ id: all, limit: 5, window: 1m }]\n')
// #region poll
const rules = await loadRules({
  source: pollSource(() => redis.get('rules'), { every: '30s' }),
  keep: 'rules.good', // the last good document, for a start while the database is unavailable
})
// #endregion
rules.close()
redis.disconnect()

const states = []
subscribe('sluice:rules', ({ state }) => states.push(state))
const unavailable = pollSource(async () => {
  throw new Error('connection refused')
})
const kept = await loadRules({ source: unavailable, keep: 'rules.good' })
assert.equal(kept.state().from, 'keep')
assert.deepEqual(states, ['source-failed', 'loaded'])
kept.close()
process.chdir(home)
await rm(folder, { recursive: true })
