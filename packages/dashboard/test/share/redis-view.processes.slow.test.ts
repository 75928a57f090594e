import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { countedKey, createLimiter, fixedWindow, redisStore } from '@sluice/core'
import { useRedis } from '@sluice/test-kit/redis'
import { expect, onTestFinished, test, vi } from 'vitest'
import { redisView, type View } from '../../src/index.js'
import { clientOf, serveDashboard } from '../served.js'
import { sumOf, viewWhen } from './views.js'

const redis = useRedis()
const worker = fileURLToPath(new URL('../worker.mjs', import.meta.url))
const policies = fixedWindow({ limit: 10, window: '1h' })

/** A process, and the port of its dashboard. */
async function startWorker(redisPort: number): Promise<ChildProcess & { readonly port: number }> {
  const child = fork(worker, [`${redisPort}`])
  onTestFinished(() => void child.kill('SIGKILL'))
  const [port] = await once(child, 'message')
  return Object.assign(child, { port: Number(port) })
}

async function consumedBy(
  child: ChildProcess,
  key: string,
  times: number,
): Promise<readonly boolean[]> {
  child.send({ key, times })
  const [allowed] = await once(child, 'message')
  return allowed as readonly boolean[]
}

test('two processes: the numbers are those of the traffic, and an act holds in both', async () => {
  const child = await startWorker(redis.port)
  const store = redisStore(redis.connection, { timeout: '10s' })
  const limiter = createLimiter({ name: 'shared', policies, store })
  const board = await serveDashboard({ limiters: { limiter }, share: redisView(redis.connection) })
  await consumedBy(child, 'eve', 14)
  await consumedBy(child, 'ann', 3)
  for (let i = 0; i < 6; i++) await limiter.consume('eve')
  for (let i = 0; i < 2; i++) await limiter.consume('bob')

  const view = await viewWhen(board, ({ limiters }) => sumOf(limiters[0]?.series.denied) === 10)
  expect(view).toMatchObject({ processes: 2, share: { state: 'ok', notMerged: 0 } })
  const [{ name, series, policies: own, top, denied }] = view.limiters
  expect([name, sumOf(series.allowed), sumOf(own[0].denied)]).toEqual(['shared', 15, 10])
  expect(top.requests.keys.map(({ key, count, error }) => [key, count, error])).toEqual([
    ['eve', 20, 0],
    ['ann', 3, 0],
    ['bob', 2, 0],
  ])
  expect(denied).toMatchObject([{ key: 'eve', denials: 10, source: 'local' }])

  const acted = await board.act({
    limiter: 'shared',
    key: 'ann',
    act: 'block',
    length: '1h',
    reason: 'a test',
  })
  expect(acted.status).toBe(200)
  expect(await consumedBy(child, 'ann', 1)).toEqual([false])
  expect((await limiter.consume('ann')).allowed).toBe(false)
  await board.act({ limiter: 'shared', key: 'ann', act: 'unblock', reason: 'a test' })
  expect((await limiter.consume('ann')).allowed).toBe(true)
  // A process remembers a denial for up to a second.
  await vi.waitFor(async () => expect(await consumedBy(child, 'ann', 1)).toEqual([true]))

  // A reset ends the denials that the other process still shows.
  const [{ key }] = denied
  expect((await board.act({ limiter: 'shared', key, act: 'reset', reason: 'a test' })).status).toBe(
    200,
  )
  expect((await board.view()).limiters[0].denied.map(({ key }) => key)).not.toContain('eve')

  child.disconnect()
  await viewWhen(board, ({ processes }) => processes === 1)
})

test('a key that one process allows is still denied by another policy in the other', async () => {
  const child = await startWorker(redis.port)
  const login = createLimiter({ name: 'shared', policies: { login: policies } })
  const board = await serveDashboard({ share: redisView(redis.connection) })
  await consumedBy(child, 'pat', 12)
  for (let i = 0; i < 12; i++) login.consume('pat')
  const denials = ({ limiters }: View): number | undefined =>
    limiters[0]?.denied.find(({ key }) => key === 'pat')?.denials
  await viewWhen(board, (view) => denials(view) === 4)
  login.reset('pat')
  login.consume('pat')
  expect(denials(await board.view())).toBe(2)
  child.disconnect()
  await viewWhen(board, ({ processes }) => processes === 1)
})

test('a key that one process has found is acted upon in the other', async () => {
  const child = await startWorker(redis.port)
  const limiter = createLimiter({
    name: 'shared',
    policies,
    store: redisStore(redis.connection, { timeout: '10s' }),
  })
  const keys = ['|user|é', 'a\ud800', 'x'.repeat(200)]
  for (const key of keys) await limiter.block(countedKey(key), '1h')
  const share = redisView(redis.connection)
  const board = await serveDashboard({ limiters: { limiter }, share })
  await viewWhen(board, ({ processes }) => processes === 2)
  const other = clientOf(`http://127.0.0.1:${child.port}/`)
  const found = (await board.search('shared', undefined)).keys
  expect(found.map(({ key }) => key).toSorted()).toEqual(keys.toSorted())
  for (const { key } of found) {
    expect((await other.key('shared', { exact: key })).policies[0].blockedMs).toBeGreaterThan(0)
    const acted = await other.act({ limiter: 'shared', key, act: 'unblock', reason: 'a test' })
    expect([acted.status, acted.body.key?.policies[0].blockedMs]).toEqual([200, 0])
  }
  for (const key of keys) {
    const { blockedMs } = (await limiter.status(countedKey(key))).policies['default']
    expect(blockedMs).toBe(0)
  }
  child.disconnect()
  await viewWhen(board, ({ processes }) => processes === 1)
})
