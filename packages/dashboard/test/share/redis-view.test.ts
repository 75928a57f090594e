import { readFileSync } from 'node:fs'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { createLimiter, type SupportedClient } from '@sluice/core'
import { startRedis, useCluster, useRedis } from '@sluice/test-kit/redis'
import { createClient, createCluster } from 'redis'
import { expect, onTestFinished, test, vi } from 'vitest'
import { errorOf } from '../../../core/test/error-of.js'
import { redisView, type DashboardShare } from '../../src/index.js'
import { snapshotVersion } from '../../src/data/snapshot.js'
import type { Snapshots } from '../../src/share/share.js'
import { serveDashboard } from '../served.js'
import { sumOf, viewWhen } from './views.js'

const redis = useRedis()
const cluster = useCluster()
/** Writes of dashboards are made when the test says so. */
function heldTimers(): () => void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  return () => void vi.advanceTimersByTime(5000)
}

/** The last one that was written first. */
function textsOf(snapshots: Snapshots): readonly (readonly [string, string])[] {
  return Array.from(snapshots, ([id, { text }]) => [id, text])
}

test('a process writes one key that ends, and its place in the index', async () => {
  const tick = heldTimers()
  const { connection } = redis
  await connection.flushall()
  const board = await serveDashboard({ share: redisView(connection, { prefix: 'own' }) })
  tick()
  const keys = await vi.waitFor(async () => {
    const all = await connection.keys('*')
    expect(all.length).toBe(2)
    return all.sort()
  })
  const [index, snapshot] = keys.toSorted((a, b) => a.length - b.length)
  expect(index).toBe('own::{view}')
  expect(snapshot).toMatch(/^own::\{view\}:[\da-f-]{36}$/)
  expect(await connection.pttl(snapshot)).toBeLessThanOrEqual(15_000)
  expect(await connection.pttl(snapshot)).toBeGreaterThan(10_000)
  expect(await connection.zcard(index)).toBe(1)
  await board.dashboard.close()
  expect(await connection.exists(snapshot)).toBe(0)
  expect(await connection.exists(index)).toBe(0)
})

test('snapshots of an older version, and texts that are none, are counted and not merged', async () => {
  const share = redisView(redis.connection, { prefix: 'versions' })
  const whole = { v: snapshotVersion, at: 1, limiters: [], stores: [], rules: [] }
  for (const [id, snapshot] of [
    ['this version', JSON.stringify(whole)],
    ['newer', JSON.stringify({ ...whole, v: snapshotVersion + 1 })],
    ['older', JSON.stringify({ ...whole, v: snapshotVersion - 1 })],
    ['text', 'not JSON'],
    ['wrong', JSON.stringify({ ...whole, limiters: [{ name: 7 }] })],
  ]) {
    await share.write(id, snapshot, [])
  }
  const board = await serveDashboard({ share })
  expect(await board.view()).toMatchObject({
    processes: 6,
    limiters: [],
    share: { state: 'ok', notMerged: 3, newer: 1 },
  })
})

test('all processes receive the keys that one of them has cleared, the last 500', async () => {
  const share = redisView(redis.connection, { prefix: 'told' })
  const all = Array.from({ length: 600 }, (_, i) => `key ${i + 100}`)
  await share.write('one', '{}', all.slice(0, 300))
  await delay(2)
  await share.write('one', '{}', all.slice(200, 300))
  const cleared = await share.write('two', '{}', all.slice(300))
  expect(cleared).toEqual(all.slice(100))
  expect((await share.read()).cleared).toEqual(all.slice(100))
  expect(await redis.connection.pttl('told::{view}:cleared')).toBeGreaterThan(10_000)
})

const shares: readonly (readonly [string, () => Promise<SupportedClient>])[] = [
  ['ioredis', async () => redis.client()],
  ['a Cluster of ioredis', async () => cluster.client()],
  [
    'node-redis',
    async () => {
      const client = createClient({ socket: { host: '127.0.0.1', port: redis.port } })
      client.on('error', () => {})
      await client.connect()
      onTestFinished(() => client.destroy())
      return client
    },
  ],
  [
    'a Cluster of node-redis',
    async () => {
      const rootNodes = cluster.nodes.map(({ port }) => ({ socket: { host: '127.0.0.1', port } }))
      const client = createCluster({ rootNodes })
      client.on('error', () => {})
      await client.connect()
      onTestFinished(() => client.destroy())
      return client
    },
  ],
]

test.each(shares)('%s: snapshots are written, read and removed', async (name, clientOf) => {
  const share = redisView(await clientOf(), { prefix: `by ${name}` })
  const long = JSON.stringify('漢'.repeat(20_000))
  await share.write('one', '{"a":1}', [])
  await share.write('two', long, [])
  expect(textsOf((await share.read()).snapshots)).toEqual([
    ['two', long],
    ['one', '{"a":1}'],
  ])
  await share.remove('one')
  await share.remove('three')
  expect(textsOf((await share.read()).snapshots)).toEqual([['two', long]])
})

test('a snapshot that is known is read again once it was written again', async () => {
  const { connection } = redis
  const share = redisView(connection, { prefix: 'once' })
  const gets = async (): Promise<number> => {
    const stats = await connection.info('commandstats')
    return Number(/cmdstat_get:calls=(\d+)/.exec(stats)?.[1] ?? 0)
  }
  await share.write('one', 'a', [])
  await share.write('two', 'b', [])
  const { snapshots: first } = await share.read()
  const before = await gets()
  expect((await share.read(first)).snapshots).toEqual(first)
  expect(await gets()).toBe(before)
  await delay(2)
  await share.write('one', 'c', [])
  const { snapshots: second } = await share.read(first)
  expect(textsOf(second)).toEqual([
    ['one', 'c'],
    ['two', 'b'],
  ])
  expect(second.get('two')).toBe(first.get('two'))
  expect(await gets()).toBe(before + 1)
})

test.each(['SIGSTOP', 'SIGKILL'] as const)(
  'while Redis does not answer (%s), the process shows its own data at once, and says so',
  async (signal) => {
    const tick = heldTimers()
    const server = await startRedis()
    onTestFinished(async () => server.stop())
    const client = server.client({ retryStrategy: () => 20, maxRetriesPerRequest: null })
    const limiter = createLimiter({ name: 'alone', limit: 1, window: '1h' })
    const options = { limiters: { limiter }, share: redisView(client) }
    // Another one, because the data that were just read are used for a second.
    const [before, board] = [await serveDashboard(options), await serveDashboard(options)]
    const { share } = await viewWhen(before, ({ share }) => share.state === 'ok')
    expect(share).toEqual({ state: 'ok', notMerged: 0 })
    await before.dashboard.close()
    process.kill(server.pid, signal)
    if (signal === 'SIGKILL') await vi.waitFor(() => expect(client.status).not.toBe('ready'))
    for (let i = 0; i < 2; i++) {
      limiter.consume('ann')
      tick()
      const view = await board.view()
      expect(view.share).toMatchObject({ state: 'failed', error: 'Redis took too long.' })
      expect(view.processes).toBe(1)
      expect([
        sumOf(view.limiters[0].series.allowed),
        sumOf(view.limiters[0].series.denied),
      ]).toEqual([1, i])
    }
    const unanswered: unknown = Reflect.get(
      client,
      signal === 'SIGKILL' ? 'offlineQueue' : 'commandQueue',
    )
    // One call to read, one to write: the client does not collect more.
    expect(Reflect.get(Object(unanswered), 'length')).toBe(2)
    if (signal === 'SIGKILL') {
      client.disconnect()
      return
    }
    process.kill(server.pid, 'SIGCONT')
    await viewWhen(board, ({ share }) => share.state === 'ok')
  },
)

test('a write that fails is said, although the others can be read', async () => {
  const tick = heldTimers()
  const share: DashboardShare = {
    write: async () => Promise.reject(new Error('READONLY You can not write\nagainst a replica')),
    read: async () => ({ snapshots: new Map(), cleared: [] }),
    remove: async () => {},
    prefix: 'sluice',
    has: async () => true,
    search: async () => ({ keys: [], cursor: undefined }),
  }
  const board = await serveDashboard({ share })
  tick()
  expect((await board.view()).share).toEqual({
    state: 'ok',
    notMerged: 0,
    error: 'READONLY You can not write against a replica',
  })
})

test('a share that never answers does not hold up the end of a dashboard', async () => {
  const never = async (): Promise<never> => new Promise(() => {})
  const share: DashboardShare = {
    prefix: 'sluice',
    write: never,
    read: never,
    remove: never,
    has: never,
    search: never,
  }
  const board = await serveDashboard({ share })
  await board.dashboard.close()
})

test('the rights that the pages name are enough', async () => {
  const page = readFileSync(new URL('../../../docs/operate/redis.md', import.meta.url), 'utf8')
  const [, named = ''] = /ACL SETUSER sluice ([^`]*)/.exec(page) ?? []
  const rights = named
    .replaceAll(/[\\'\n]/g, ' ')
    .trim()
    .split(/ +/)
  await redis.connection.acl('SETUSER', 'viewer', 'reset', ...rights, '~sluice:*', '+get', '+scan')
  const share = redisView(redis.client({ username: 'viewer', password: 'secret' }))
  await share.write('one', '{}', [])
  expect(textsOf((await share.read()).snapshots)).toEqual([['one', '{}']])
  await share.remove('one')
  expect((await share.search('api', undefined)).keys).toEqual([])
})

test('the error of a value that is not a client names redisView', () => {
  const error = errorOf(() => redisView('redis://localhost' as never))
  expect(error.code).toBe('SLUICE_CLIENT_INVALID')
  expect(error.message).toContain('redisView(new Redis(url))')
})
