import { readFileSync } from 'node:fs'
import { memoryStore, redisStore } from '@sluice/core'
import { expect, test } from 'vitest'
import { useRedis } from '@sluice/test-kit/redis'
import { windowTable, withTable } from '../../src/windows/table.js'

const page = readFileSync(
  new URL('../../../docs/inside/sliding-window.md', import.meta.url),
  'utf8',
)

const redis = useRedis()

test('the page on the sliding window shows the figures of conformance/src/windows in memory', async () => {
  expect(page).toBe(withTable(page, await windowTable(memoryStore())))
})

test('Redis gives the same figures', async () => {
  const store = redisStore(redis.client(), { timeout: '10s' })
  expect(page).toBe(withTable(page, await windowTable(store)))
}, 60_000)
