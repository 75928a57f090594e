import { createLimiter, redisStore, type AsyncStore, type Limiter } from '@sluice/core'
import { createDashboard, redisView } from '@sluice/dashboard'
import { useRedis } from '@sluice/test-kit/redis'
import { Redis } from 'ioredis'
import { expect, onTestFinished, test, vi } from 'vitest'
import { folderWith, sluice, type Ran } from '../sluice.js'
import { jsonOf } from '../live/application.js'

const redis = useRedis()

const options = { name: 'api', limit: 10, window: '1h' } as const

const document = `version: 1
name: api
values: { user: string }
rules: [{ id: default, key: user, limit: 10, window: 1h }]
`

interface Application {
  readonly api: Limiter<AsyncStore>
  readonly client: Redis
  run(...args: readonly string[]): Promise<Ran>
}

/**
 * An application whose client has a prefix.
 *
 * @param named the text of `--prefix`
 */
async function applicationWith(
  keyPrefix: string,
  prefix: string | undefined,
  named: string,
): Promise<Application> {
  const client = new Redis({ port: redis.port, keyPrefix })
  onTestFinished(() => client.disconnect())
  const store = redisStore(client, { timeout: 5000, ...(prefix === undefined ? {} : { prefix }) })
  const limits = `export const api = ${JSON.stringify(options)}`
  const cwd = await folderWith({ 'limiters.mjs': limits, 'rules.yaml': document })
  const place = ['--redis', `redis://127.0.0.1:${redis.port}`, '--prefix', named]
  return {
    api: createLimiter({ ...options, store, denyCache: false }),
    client,
    run: async (...args) => sluice([...args, ...place], { cwd }),
  }
}

/** The prefixes of a client and of its store, and the text that leads to their keys. */
const places = [
  ['the client has one', 'shop:', undefined, 'shop:sluice'],
  ['the client has one, and nothing more is stated', 'shop2:', undefined, 'shop2:'],
  ['both have one', 'shop:eu:', 'limits', 'shop:eu:limits'],
  ['the client has a hash tag', '{shop}', 'limits', '{shop}limits'],
  ['the client has one without a colon', 'shop-', 'limits', 'shop-limits'],
  ['the store has one with a colon', '', 'tenant:7', 'tenant:7'],
  ['the store has one with a percent sign', '', '100%', '100%'],
] as const

const limiters = ['--limiters', 'limiters.mjs'] as const

test.each(places)('status reads the counts of the application if %s', async (_, ...place) => {
  const { api, run } = await applicationWith(...place)
  await api.consume(['user', 'ann'], { cost: 4 })
  const read = { limiters: [{ policies: [{ used: 4, remaining: 6 }] }] }
  expect(jsonOf(await run('status', '|user|ann', '--json', ...limiters))).toMatchObject(read)
  const byRules = await run('status', '|user|ann', '--json', '--rules', 'rules.yaml')
  expect(jsonOf(byRules)).toMatchObject(read)
})

test.each(places)('acts reach the application if %s', async (_, ...place) => {
  const { api, run } = await applicationWith(...place)
  const isAllowed = async (key: string) => (await api.consume(key)).allowed
  await isAllowed('bob')
  // A key that was never counted is blocked too.
  for (const key of ['ada', 'bob']) {
    expect((await run('block', key, '10m', ...limiters)).status).toBe(0)
    expect(await isAllowed(key)).toBe(false)
    expect((await run('unblock', key, ...limiters)).status).toBe(0)
    expect(await isAllowed(key)).toBe(true)
  }
  await run('reset', 'bob', ...limiters)
  expect((await api.status('bob')).policies['default'].used).toBe(0)
  await run('penalize', 'bob', '3', ...limiters)
  expect((await api.status('bob')).policies['default'].used).toBe(3)
})

test.each(places)('keys finds what the application has blocked if %s', async (_, ...place) => {
  const { api, run } = await applicationWith(...place)
  await api.block('cat', '10m')
  const { blocked } = jsonOf(await run('keys', '--blocked', '--json', ...limiters))
  expect(blocked).toEqual([expect.objectContaining({ limiter: 'api', key: 'cat' })])
  await api.unblock('cat')
})

test.each(places)('explain reads the counts of the application if %s', async (_, ...place) => {
  const { api, run } = await applicationWith(...place)
  await api.consume(['user', 'dan'], { cost: 4 })
  const { stdout } = await run('explain', 'rules.yaml', '--value', 'user=dan')
  expect(stdout).toContain('4 used, 6 of 10 remain')
})

test.each(places)('top shows the application if %s', async (_, ...place) => {
  const { client, run } = await applicationWith(...place)
  const [, prefix = 'sluice'] = place
  const share = redisView(client, { prefix })
  const dashboard = createDashboard({ limiters: {}, authorize: () => 'read', share })
  onTestFinished(async () => dashboard.close())
  createLimiter({ ...options, name: 'top' }).consume('ann')
  const isWritten = async (): Promise<void> => expect((await share.read()).snapshots.size).toBe(1)
  await vi.waitFor(isWritten)
  const { limiters: shown } = jsonOf(await run('top', '--once', '--json'))
  expect(shown).toEqual([expect.objectContaining({ name: 'top' })])
})
