import { createLimiter, fixedWindow, redisStore, type Limiter } from '@sluice/core'
import { useCluster, useRedis } from '@sluice/test-kit/redis'
import { createCluster } from 'redis'
import { expect, onTestFinished, test, vi } from 'vitest'
import { redisView, type KeyView } from '../../src/index.js'
import { serveDashboard, type Served } from '../served.js'

const redis = useRedis()
const cluster = useCluster()
const policies = fixedWindow({ limit: 5, window: '1h' })

/** Searches until the end. */
async function foundBy(board: Served, limiter: string): Promise<readonly KeyView[]> {
  const keys: KeyView[] = []
  let cursor: string | undefined
  do {
    const answer = await board.search(limiter, cursor)
    keys.push(...answer.keys)
    cursor = answer.cursor ?? undefined
  } while (cursor !== undefined)
  return keys
}

/** Keys that are blocked, others that only have counts, and those of other limiters. */
async function fill(limiter: Limiter, other: Limiter): Promise<void> {
  for (let i = 0; i < 30; i++) await limiter.consume(`plain-${i}`)
  for (const key of blocked) await limiter.block(key, '1h')
  await other.block('not here', '1h')
}

const blocked = ['a', ['user', 42], '{b}', '50%', '*', 'x'.repeat(300), 'a\0b', 'a\ud800']
const texts = ['%#', '*', '50%', 'a', 'a\0b', 'a\ud800', '{b}', '|user|42']

function textsOf(keys: readonly KeyView[]): readonly string[] {
  return keys.map(({ key }) => (key.startsWith('%#') ? '%#' : key)).sort()
}

test('a search finds the blocked keys of a limiter, each of which can be acted upon', async () => {
  const store = redisStore(redis.connection, { prefix: 'p*[ab]?' })
  const limiter = createLimiter({ name: 'api:v1*', policies, store })
  const other = createLimiter({ name: 'api:v1', policies, store })
  await fill(limiter, other)
  const share = redisView(redis.connection, { prefix: 'p*[ab]?' })
  const board = await serveDashboard({ limiters: { limiter, other }, share })
  const found = await foundBy(board, 'api:v1*')
  expect(textsOf(found)).toEqual(texts)
  for (const { key } of found) {
    await board.act({ limiter: 'api:v1*', key, act: 'unblock', reason: 'a test' })
  }
  expect(await foundBy(board, 'api:v1*')).toEqual([])
  expect(textsOf(await foundBy(board, 'api:v1'))).toEqual(['not here'])
})

test('a client with a prefix of its own', async () => {
  const client = redis.client({ keyPrefix: 'app:{1}:' })
  const limiter = createLimiter({
    name: 'prefixed',
    policies,
    store: redisStore(client, { timeout: '10s' }),
  })
  for (const key of blocked) await limiter.block(key, '1h')
  const board = await serveDashboard({ limiters: { limiter }, share: redisView(client) })
  expect(textsOf(await foundBy(board, 'prefixed'))).toEqual(texts)
})

test.each(['ioredis', 'node-redis'])(
  'each master of a Cluster is searched: %s',
  async (library) => {
    const client = library === 'ioredis' ? cluster.client() : await nodeRedisCluster()
    const limiter = createLimiter({
      name: library,
      policies,
      store: redisStore(client, { timeout: '10s' }),
    })
    await vi.waitFor(async () => expect(await limiter.ping()).toBe(true))
    for (let i = 0; i < 60; i++) await limiter.block(`key-${i}`, '1h')
    const board = await serveDashboard({ limiters: { limiter }, share: redisView(client) })
    const found = await foundBy(board, library)
    expect(new Set(found.map(({ key }) => key)).size).toBe(60)
  },
)

async function nodeRedisCluster() {
  const rootNodes = cluster.nodes.map(({ port }) => ({ socket: { host: '127.0.0.1', port } }))
  const client = createCluster({ rootNodes })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.destroy())
  return client
}

test('a search looks at no more than 2,000 names a second, and continues where it ended', async () => {
  const { connection } = redis
  await connection.flushall()
  const names = Array.from({ length: 3000 }, (_, i) => [`other:${i}`, '1'])
  await connection.mset(names.flat())
  const limiter = createLimiter({
    name: 'paced',
    policies,
    store: redisStore(connection, { timeout: '10s' }),
  })
  await limiter.block('ann', '1h')
  const board = await serveDashboard({ limiters: { limiter }, share: redisView(connection) })
  const began = performance.now()
  const found: string[] = []
  let scanned = 0
  let requests = 0
  for (let cursor: string | undefined; requests === 0 || cursor !== undefined; requests++) {
    const answer = await board.search('paced', cursor)
    found.push(...answer.keys.map(({ key }) => key))
    scanned += answer.scanned
    cursor = answer.cursor ?? undefined
  }
  const seconds = (performance.now() - began) / 1000
  expect(found).toEqual(['ann'])
  expect(requests).toBe(2)
  // The names of other applications do not count.
  expect(scanned).toBe(1)
  // The names of the first step may pass at once, and the last step can have fewer.
  expect(seconds).toBeGreaterThanOrEqual((3001 - 2 * 250) / 2000)
})

test('a search that would wait long is refused at once', async () => {
  const { connection } = redis
  await connection.flushall()
  const limiter = createLimiter({
    name: 'busy',
    policies,
    store: redisStore(connection, { timeout: '10s' }),
  })
  const board = await serveDashboard({ limiters: { limiter }, share: redisView(connection) })
  const stop = new AbortController()
  const ask = async (): Promise<Response> =>
    fetch(`${board.url}api/search?limiter=busy`, { signal: stop.signal })
  expect((await ask()).status).toBe(200)
  const others = Array.from({ length: 40 }, ask)
  // Those that wait their turn are not waited for.
  const refused = await Promise.any(
    others.map(async (one) => {
      const response = await one
      if (response.status === 503) return response
      throw new Error(`the status is ${response.status}`)
    }),
  )
  expect(await refused.json()).toMatchObject({ error: { code: 'SLUICE_SEARCH_BUSY' } })
  stop.abort()
  await Promise.allSettled(others)
})

test.each([
  ['without `share`', undefined, 'limiter=plain', 404, 'SLUICE_SEARCH_UNAVAILABLE'],
  ['with an unknown limiter', 'share', 'limiter=other', 404, 'SLUICE_VIEW_LIMITER_UNKNOWN'],
  ['without a limiter', 'share', '', 400, 'SLUICE_VIEW_REQUEST_INVALID'],
  [
    'with a cursor of its own making',
    'share',
    'limiter=plain&cursor=1',
    400,
    'SLUICE_VIEW_REQUEST_INVALID',
  ],
])('a search %s is refused', async (_, share, query, status, code) => {
  const limiter = createLimiter({ name: 'plain', policies })
  const given = share === undefined ? {} : { share: redisView(redis.connection) }
  const board = await serveDashboard({ limiters: { limiter }, ...given })
  const answer = await fetch(`${board.url}api/search?${query}`)
  expect([answer.status, await answer.json()]).toMatchObject([status, { error: { code } }])
})
