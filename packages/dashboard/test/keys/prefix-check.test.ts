import process from 'node:process'
import { createLimiter, redisStore, type Limiter } from '@sluice/core'
import { useRedis } from '@sluice/test-kit/redis'
import { expect, onTestFinished, test, vi } from 'vitest'
import { redisView } from '../../src/index.js'
import { serveDashboard, type Served } from '../served.js'

const redis = useRedis()
const limit = { limit: 9, window: '1h' } as const
let made = 0

function limiterOver(prefix: string): Limiter {
  const store = redisStore(redis.connection, { prefix, timeout: '10s' })
  return createLimiter({ name: `prefix-${made++}`, ...limit, store })
}

/** A dashboard of some limiters, whose `redisView` has the prefix `view`, and the warnings of the process. */
async function setUp(...limiters: readonly Limiter[]) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())
  const share = redisView(redis.connection, { prefix: 'view' })
  const has = vi.spyOn(share, 'has')
  const board = await serveDashboard({
    share,
    limiters: Object.fromEntries(limiters.map((one) => [one.name, one])),
  })
  return { board, warn, has }
}

/** The prefix that the page warns about, after the next look. */
async function wrongPrefix({ view }: Served): Promise<string | undefined> {
  const before = vi.getTimerCount()
  await vi.advanceTimersByTimeAsync(5000)
  expect(before).toBeGreaterThan(0)
  return (await view()).share.wrongPrefix
}

test('a prefix that is not that of the store is said on the page, and is one warning of the process', async () => {
  const limiter = limiterOver('shop')
  const { board, warn, has } = await setUp(limiter)
  expect(await wrongPrefix(board)).toBeUndefined()
  expect(has).not.toHaveBeenCalled()
  await limiter.consume('ann')
  await vi.waitFor(async () => expect(await wrongPrefix(board)).toBe('view'))
  await vi.waitFor(async () => {
    await wrongPrefix(board)
    expect(has.mock.calls.length).toBeGreaterThan(2)
  })
  expect(has).toHaveBeenCalledWith(limiter.name, 'ann')
  expect(warn.mock.calls).toMatchObject([[{ name: 'SluiceWarning', code: 'SLUICE_VIEW_PREFIX' }]])
})

test.each([['of the only limiter'], ['of any limiter']])(
  'no prefix is wrong that is that of the store %s',
  async (which) => {
    const limiter = limiterOver('view')
    const others = which === 'of any limiter' ? [limiterOver('shop')] : []
    const { board, warn, has } = await setUp(...others, limiter)
    for (const one of [limiter, ...others]) await one.consume('|user|{é%}')
    await vi.waitFor(async () => {
      await wrongPrefix(board).catch(() => {})
      expect(has.mock.calls.length).toBeGreaterThan(others.length)
    })
    const found = await Promise.all(has.mock.results.map(({ value }) => value as Promise<boolean>))
    expect(found.filter((one) => one)).toEqual([true])
    expect((await board.view()).share.wrongPrefix).toBeUndefined()
    expect(warn).not.toHaveBeenCalled()
  },
)

test('limiters in memory, and keys that no store has counted, say nothing about the prefix', async () => {
  const limiter = createLimiter({ name: 'prefix-memory', ...limit })
  const idle = limiterOver('shop')
  const { board, warn, has } = await setUp(limiter, idle)
  limiter.consume('ann')
  await idle.consume('ann')
  await idle.reset('ann')
  for (let i = 0; i < 3; i++) expect(await wrongPrefix(board)).toBeUndefined()
  expect(has).not.toHaveBeenCalled()
  expect(warn).not.toHaveBeenCalled()
})
