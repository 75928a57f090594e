// Compares the windows with the exact log on bursty, steady and adversarial traffic, in memory and in Redis, and writes the table of the page on
// the sliding window. Time is virtual and the traffic has a seed, so the figures are the same on every machine.
import { readFile, writeFile } from 'node:fs/promises'
import process from 'node:process'
import { memoryStore, redisStore } from '@sluice/core'
import { startRedis } from '@sluice/test-kit/servers'
import { windowTable, withTable } from './table.js'

const page = new URL('../../../docs/inside/sliding-window.md', import.meta.url)

const table = await windowTable(memoryStore())
const redis = await startRedis()
try {
  const client = redis.client()
  if ((await windowTable(redisStore(client, { timeout: '10s' }))) !== table) {
    throw new Error('memory and Redis give different figures')
  }
} finally {
  await redis.stop()
}
await writeFile(page, withTable(await readFile(page, 'utf8'), table))
process.stdout.write(`${table}\n\nThe same in memory and in Redis.\n`)
