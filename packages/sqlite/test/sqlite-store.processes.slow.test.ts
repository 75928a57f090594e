import { once } from 'node:events'
import { startWorkers, type Work } from '@sluice/conformance/sqlite'
import { sqliteDrivers } from '@sluice/test-kit/sqlite'
import {
  createLimiter,
  fixedWindow,
  gcra,
  slidingLog,
  slidingWindow,
  tokenBucket,
  type Limiter,
  type Policies,
} from '@sluice/core'
import { expect, test, vi } from 'vitest'
import { sqliteStore } from '../src/index.js'
import { useFile } from './use-file.js'

const [driver] = sqliteDrivers()
const { file, connect } = useFile()
const limit = 200

// The test of exactness in `packages/faults` has a fixed window, a log and leases.
const policies: readonly (readonly [string, Policies])[] = [
  ['a sliding window', slidingWindow({ limit, window: '365d' })],
  ['gcra', gcra({ limit, window: '3650d' })],
  ['a token bucket', tokenBucket({ capacity: limit, refill: 1, every: '10d' })],
]

test.each(policies)('four processes allow exactly the limit: %s', async (name, policy) => {
  const keys = ['a', 'b', 'c']
  const work: Work = { file, name, policies: policy, keys, decisions: 600, inFlight: 16 }
  const done = await (await startWorkers(4, work)).finish()
  expect(done.map(({ byStore }) => byStore)).toEqual([600, 600, 600, 600])
  expect(done.reduce((sum, { allowed }) => sum + allowed, 0)).toBe(3 * limit)
})

test('four processes allow exactly the limit of pairs of keys that overlap', async () => {
  const pair: Policies = {
    user: fixedWindow({ limit: 100, window: '365d' }),
    route: slidingLog({ limit: 150, window: '1d' }),
  }
  const keys = ['a', 'b', 'c', 'd'].map((user, i) => ({ user, route: ['even', 'odd'][i % 2] }))
  const work: Work = { file, name: 'pairs', policies: pair, keys, decisions: 800, inFlight: 16 }
  const done = await (await startWorkers(4, work)).finish()
  // Each route has two users, who have units for 200.
  expect(done.reduce((sum, { allowed }) => sum + allowed, 0)).toBe(300)
  const { policies: states } = await limiterOf('pairs', pair).status(keys[0])
  expect(states['route'].used).toBe(150)
})

test('a process that is killed while it writes leaves a file that the others use, with all counts', async () => {
  const policy = fixedWindow({ limit: 100_000, window: '365d' })
  const work: Work = {
    file,
    name: 'killed',
    policies: policy,
    keys: ['a', 'b', 'c'],
    decisions: 3000,
    inFlight: 16,
  }
  for (let round = 1; round <= 2; round++) {
    const { processes, finish } = await startWorkers(4, { ...work, name: `killed ${round}` })
    const [victim, ...others] = processes
    const limiter = limiterOf(`killed ${round}`, policy)
    await vi.waitFor(async () => expect((await limiter.peek('a')).remaining).not.toBe(100_000))
    victim.kill('SIGKILL')
    await once(victim, 'exit')
    await expect(finish()).rejects.toThrow('a worker ended')
    await Promise.all(others.map((child) => child.exitCode ?? once(child, 'exit')))
    const used = await Promise.all(
      work.keys.map(async (key) => (await limiter.status(key)).policies['default'].used),
    )
    const total = used.reduce((sum, units) => sum + units, 0)
    expect(total).toBeGreaterThanOrEqual(9000)
    expect(total).toBeLessThan(12_000)
  }
  const connection = connect(driver.open)
  expect(Object.values(connection.prepare('pragma integrity_check').get() ?? {})).toEqual(['ok'])
})

function limiterOf(name: string, limits: Policies): Limiter {
  const store = sqliteStore(connect(driver.open), { timeout: '10s' })
  return createLimiter({ name, policies: limits, store })
}
