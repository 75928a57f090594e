import { expect, test } from 'vitest'
import { MapDatabase, type MapRow } from '@sluice/test-kit/map-database'
import { randomFrom } from '@sluice/test-kit/random'
import { concurrency, createLimiter, fixedWindow, slidingLog } from '../../../src/index.js'
import { databaseStore } from '../../../src/stores/database/index.js'

const limit = 150

test.each([
  ['fixedWindow', fixedWindow({ limit, window: '1h' })],
  ['slidingLog', slidingLog({ limit, window: '1h' })],
  ['concurrency', concurrency({ limit, lease: '1h' })],
])('a save whose reply is lost counts once: %s', async (_, policies) => {
  const random = randomFrom(1)
  const rows = new Map<string, MapRow>()
  /** The replies that were lost, and those of them to a save that was not refused. */
  const lost = { all: 0, saved: 0 }
  let isLossy = true

  function processOf(rememberedRows: number) {
    let before: unknown
    const database = new MapDatabase({
      rows,
      async before() {
        before = [...rows.values()].at(0)?.version
      },
      async after(call) {
        if (!isLossy || call === 'load' || random() > 0.3) return
        lost.all++
        if ([...rows.values()].at(0)?.version !== before) lost.saved++
        throw new Error('the connection was reset')
      },
    })
    const store = databaseStore(database, { timeout: '10s', rememberedRows })
    return createLimiter({ name: 'api', policies, store, onStoreError: 'deny', denyCache: false })
  }

  let allowed = 0
  let failed = 0
  // Three failures in a row open the breaker of a process.
  for (let i = 0; i < 60; i++) {
    const limiter = processOf(i % 2 === 0 ? 100 : 0)
    for (let n = 0; n < 2; n++) {
      const decision = await limiter.consume('key')
      if (decision.source === 'closed') failed++
      else if (decision.allowed) allowed++
    }
  }
  isLossy = false
  expect(lost.saved).toBeGreaterThan(10)
  expect(failed).toBe(lost.all)
  const { used } = (await processOf(0).status('key')).policies['default']
  expect(used).toBe(allowed + lost.saved)
  for (let i = 0; i < limit; i++) if ((await processOf(0).consume('key')).allowed) allowed++
  expect(allowed + lost.saved).toBe(limit)
})
