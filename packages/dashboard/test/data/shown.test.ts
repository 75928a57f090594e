import { createLimiter, redisStore, type Limiter, type RedisClient } from '@sluice/core'
import { databaseStore } from '@sluice/core/database'
import { loadRules, staticSource } from '@sluice/rules'
import { expect, onTestFinished, test } from 'vitest'
import { redisView, type Role } from '../../src/index.js'
import { messagesFor } from '../../src/data/shown.js'
import { serveDashboard } from '../served.js'

const key = 'ann@example.org'

/** A database whose rows another program has damaged. The error names the row. */
function damagedRows(name: string): Limiter {
  const store = databaseStore({
    name: 'rows',
    load: async (keys) => ({
      now: Date.now(),
      rows: keys.map(() => ({ version: 1, bytes: new Uint8Array() })),
    }),
    save: async () => Promise.reject(new Error('nothing is saved')),
  })
  return createLimiter({ name, limit: 3, window: '1h', store, onStoreError: 'deny' })
}

/** A Redis whose error names the key. */
const refusing: RedisClient = {
  evalSha: async (_script, [name]) => Promise.reject(new Error(`no rights on ${name}`)),
  eval: async (_script, [name]) => Promise.reject(new Error(`no rights on ${name}`)),
  isCluster: false,
}

function refusedByRedis(name: string): Limiter {
  const store = redisStore(refusing)
  return createLimiter({ name, limit: 3, window: '1h', store, onStoreError: 'deny' })
}

/** Rules whose newer document is refused. The error names an entry of its overrides. */
async function refusedRules() {
  const source = staticSource(
    'version: 1\nname: shop\nrules: [{ id: all, key: ip, limit: 3, window: 1h }]',
  )
  const rules = await loadRules({ source })
  onTestFinished(() => rules.close())
  const stale = { code: 'SLUICE_RULES_INVALID', message: `the override of ${key} is no number` }
  return { ...rules, current: rules.current, state: () => ({ ...rules.state(), stale }) }
}

async function textsOf(role: Role): Promise<readonly string[]> {
  const limiters = { rows: damagedRows('rows'), redis: refusedByRedis('redis') }
  const failing = async () => Promise.reject(new Error(`no rights on ${key}`))
  const share = { ...redisView(refusing), read: failing, search: failing }
  const rules = await refusedRules()
  const { url } = await serveDashboard({ limiters, share, rules, authorize: () => role })
  for (const limiter of Object.values(limiters)) await limiter.consume(key)
  const named = `key=${encodeURIComponent(key)}`
  const paths = [
    'view',
    'search?limiter=rows',
    `key?limiter=rows&${named}`,
    `key?limiter=redis&${named}`,
  ]
  return Promise.all(paths.map(async (path) => (await fetch(`${url}api/${path}`)).text()))
}

test('the role `read` sees no message that contains a key', async () => {
  const shown = await textsOf('read')
  expect(shown.filter((text) => text.includes('ann@'))).toEqual([])
  // In the view: the data of other processes, two stores, the rules.
  const hidden = shown.map((text) => text.match(/The message is hidden/g)?.length)
  expect(hidden).toEqual([4, 1, 1, 1])
})

test('the role `write` sees messages', async () => {
  const [view, search, , ofRedis] = await textsOf('write')
  expect([view, search, ofRedis].map((text) => text.includes(key))).toEqual([true, true, true])
})

test('the role `read` sees a message of our own without a key', () => {
  const messageOf = messagesFor('read')
  expect(messageOf('SLUICE_STORE_TIMEOUT', 'did not answer')).toBe('did not answer')
  expect(messageOf('SLUICE_STORE_FAILED', 'ann')).toMatch(/^The message is hidden/)
})
