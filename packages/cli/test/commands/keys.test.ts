import { createLimiter, redisStore, type AsyncStore } from '@sluice/core'
import { joinKey } from '@sluice/core/internal'
import { useCluster, useRedis } from '@sluice/test-kit/redis'
import { describe, expect, test } from 'vitest'
import { sluice } from '../sluice.js'
import { applicationIn, jsonOf } from '../live/application.js'

const redis = useRedis()

const keys = ['ann', ['user', 42], 'x\u001b[31m{}%|🎉\0', '|x', '%7B', 'x'.repeat(300)] as const

/** The limiters and the keys that a search has found. */
function namesIn({ blocked }: Record<string, unknown>): readonly string[] {
  if (!Array.isArray(blocked)) throw new TypeError('no keys')
  return blocked.map(({ limiter, key }) => `${limiter} ${key}`).sort()
}

test('keys --blocked finds exactly the blocked keys, with any characters', async () => {
  const { api, login, sluice } = await applicationIn(redis)
  for (const key of keys) await api.block(key, '10m')
  await login.block({ minute: 'bob', hour: 'eve' }, '20m')
  for (let i = 0; i < 250; i++) await api.consume(`free ${i}`)
  await api.consume('blocked before')
  await api.block('blocked before', '10m')
  await api.unblock('blocked before')

  const all = jsonOf(await sluice('keys', '--blocked', '--json'))
  const found = [...keys.map((key) => `api ${joinKey(key)}`), 'login bob', 'login eve']
  expect(namesIn(all)).toEqual(found.sort())
  expect(all['searched']).toBe(keys.length + 2 + 250 + 1)

  const ofLogin = jsonOf(await sluice('keys', '--blocked', '--json', '--limiter', 'login'))
  expect(namesIn(ofLogin)).toEqual(['login bob', 'login eve'])
})

test('each found key is one line, with the key at its end', async () => {
  const { api, login, sluice } = await applicationIn(redis)
  await login.block('ann', '10m')
  await api.block('|x\u001b', '2h')
  const { stdout } = await sluice('keys', '--blocked')
  const [one, other, ...last] = stdout.split('\n')
  const lines = [one, other].map((line) => line.replace(/^\S+( \S+)? +/, '')).sort()
  expect(lines).toEqual(['api  default  ["|x\\u001b"]', 'login  minute,hour  ann'])
  expect(last).toEqual(['2 keys searched, 2 blocked', ''])
})

test('a search is paced', async () => {
  const { api, sluice } = await applicationIn(redis)
  for (let i = 0; i < 600; i++) await redis.connection.set(`other ${i}`, '1')
  await api.block('ann', '10m')
  const startedAt = performance.now()
  const found = jsonOf(await sluice('keys', '--blocked', '--json', '--limiter', 'api'))
  // At least 600 keys at 100 keys in 50 ms. The last step needs no wait.
  expect(performance.now() - startedAt).toBeGreaterThan(5 * 50)
  expect(namesIn(found)).toEqual(['api ann'])
})

test('keys without --blocked says what is missing', async () => {
  const { sluice } = await applicationIn(redis)
  expect(await sluice('keys')).toEqual({
    status: 1,
    stdout: '',
    stderr: 'error: state which keys to search for: --blocked\n',
  })
})

describe('on a Cluster', () => {
  const cluster = useCluster()

  test('keys are found on each master, and acts reach their node', async () => {
    const { cwd } = await applicationIn(redis)
    const store = redisStore(cluster.client(), { timeout: 5000 })
    const api = createLimiter<AsyncStore>({ name: 'api', limit: 10, window: '1h', store })
    const names = Array.from({ length: 12 }, (_, i) => `key ${i}`)
    const place = ['--redis', `redis://127.0.0.1:${cluster.nodes[0].port}`, '--cluster']
    const run = async (...args: readonly string[]): ReturnType<typeof sluice> =>
      sluice([...args, ...place, '--limiters', 'limiters.mjs', '--limiter', 'api'], { cwd })
    for (const name of names) expect((await run('block', name, '10m')).status).toBe(0)
    const decisions = await Promise.all(names.map(async (name) => api.peek(name)))
    expect(decisions.filter(({ allowed }) => allowed)).toEqual([])
    const found = jsonOf(await run('keys', '--blocked', '--json'))
    expect(namesIn(found)).toEqual(names.map((name) => `api ${name}`).sort())
  })
})

test('each key that a search prints is accepted by the other commands, as the same key', async () => {
  const { api, sluice } = await applicationIn(redis)
  for (const key of ['bob\u200b', '["acme","42"]', '|x\u001b']) await api.block(key, '2h')
  const { stdout } = await sluice('keys', '--blocked', '--limiter', 'api')
  const shown = stdout.split('\n').flatMap((line) => / {2}default {2}(.*)$/.exec(line)?.[1] ?? [])
  expect(shown.length).toBe(3)
  for (const key of shown) await sluice('unblock', key, '--limiter', 'api')
  const left = await sluice('keys', '--blocked', '--limiter', 'api')
  expect(left.stdout).toBe('0 keys searched, 0 blocked\n')
})
