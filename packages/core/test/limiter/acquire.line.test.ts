import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createLimiter, fixedWindow, tokenBucket } from '@sluice/core'
import { expect, test } from 'vitest'

test('an empty queue leaves no state: after a reset, all simultaneous calls are allowed', async () => {
  const limiter = createLimiter({
    name: 'api',
    policies: fixedWindow({ limit: 2, window: '1h' }),
    clock: () => 1_763_683_200_000,
  })
  limiter.consume('key', { cost: 2 })
  const denied = await limiter.acquire('key', { maxWait: 0 })
  expect(denied).toMatchObject({ allowed: false, retryAfterMs: 3_600_000 })
  limiter.reset('key')
  const both = await Promise.all([
    limiter.acquire('key', { maxWait: '1m' }),
    limiter.acquire('key', { maxWait: '1m' }),
  ])
  expect(both.map(({ allowed }) => allowed)).toEqual([true, true])
})

test('a key whose calls are all settled keeps no state', async () => {
  const program = `
    import { createLimiter, memoryStore } from '@sluice/core'
    const store = memoryStore({ maxKeys: 100 })
    const limiter = createLimiter({ name: 'api', limit: 2, window: '1h', store })
    for (let i = 0; i < 300_000; i++) await limiter.acquire('key ' + i)
    console.log('done')`
  // A hundred bytes for each key would be 30 MB.
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--max-old-space-size=24', '--input-type=module', '--eval', program],
    { cwd: new URL('../..', import.meta.url) },
  )
  expect(stdout).toBe('done\n')
})

test('the calls for one key are decided in their order, in whatever way the key is written', async () => {
  const limiter = createLimiter({
    name: 'api',
    policies: {
      a: tokenBucket({ capacity: 1, refill: 1, every: '20ms' }),
      b: fixedWindow({ limit: 9, window: '1h' }),
    },
  })
  limiter.consume('key')
  const forms: readonly Parameters<typeof limiter.acquire>[0][] = [
    'key',
    { a: 'key', b: 'key' },
    ['key'],
    { b: ['key'], a: 'key' },
    { a: 'key', b: 'other' },
    { b: ['other'], a: ['key'] },
  ]
  const order: number[] = []
  const callInTurn = (i: number): Promise<unknown> =>
    limiter.acquire(forms[i]).then(() => order.push(i))
  await Promise.all([0, 1, 2, 3].map(callInTurn))
  await Promise.all([4, 5].map(callInTurn))
  expect(order).toEqual([0, 1, 2, 3, 4, 5])
})
