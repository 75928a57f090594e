import { createLimiter, fixedWindow } from '@sluice/core'
import { useRedis } from '@sluice/test-kit/redis'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createDashboard, readRedisView, redisView, type View } from '../src/index.js'

const redis = useRedis()
const policies = fixedWindow({ limit: 3, window: '1h' })

/** The view once a number of processes have written their data. */
async function viewOf(prefix: string, processes: number): Promise<View> {
  return vi.waitFor(async () => {
    const view = await readRedisView(redis.connection, { prefix })
    expect(view.processes).toBe(processes)
    return view
  })
}

test('a tool reads what the dashboard of a process has written, without masks', async () => {
  const began = Date.now()
  const limiter = createLimiter({ name: 'api', policies })
  const share = redisView(redis.connection, { prefix: 'tool' })
  const mask = (): string => 'hidden'
  const dashboard = createDashboard({
    limiters: { api: limiter },
    authorize: () => 'read',
    share,
    mask,
  })
  onTestFinished(async () => dashboard.close())
  for (const key of ['ann', 'ann', 'ann', 'ann', 'bob']) limiter.consume(key)
  const view = await viewOf('tool', 1)
  expect(view.share).toEqual({ state: 'ok', notMerged: 0 })
  expect(view.stores).toEqual([])
  const [api, ...others] = view.limiters
  expect(others).toEqual([])
  const { series, denied, top } = api
  expect([api.name, api.canAct]).toEqual(['api', false])
  const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count)
  expect([sumOf(series.allowed), sumOf(series.denied), series.allowed.length]).toEqual([4, 1, 360])
  expect(denied.map(({ key, policies, denials }) => [key, policies, denials])).toEqual([
    ['ann', ['default'], 1],
  ])
  expect(top.requests.keys.map(({ key, count }) => [key, count])).toEqual([
    ['ann', 4],
    ['bob', 1],
  ])
  expect([view.at >= began, view.at <= Date.now()]).toEqual([true, true])
})

test('processes of another version are counted and not merged', async () => {
  const share = redisView(redis.connection, { prefix: 'versions' })
  await share.write('other', '{"v":99}', [])
  const view = await viewOf('versions', 1)
  expect([view.share, view.limiters]).toEqual([{ state: 'ok', notMerged: 1 }, []])
})

test('without data, the view is empty', async () => {
  const { processes, limiters, share } = await readRedisView(redis.connection, { prefix: 'none' })
  expect([processes, limiters, share]).toEqual([0, [], { state: 'ok', notMerged: 0 }])
})
