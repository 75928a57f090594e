import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLimiter, fixedWindow, redisStore, type AsyncStore, type Limiter } from '@sluice/core'
import { createDashboard, redisView } from '@sluice/dashboard'
import { useRedis } from '@sluice/test-kit/redis'
import { expect, onTestFinished, test } from 'vitest'
import { sluice, type Ran } from '../sluice.js'
import { jsonOf } from '../live/application.js'

const redis = useRedis()

interface Served {
  readonly limiter: Limiter<AsyncStore>
  sluice(...args: readonly string[]): Promise<Ran>
}

let prefixes = 0

/** A real dashboard over Redis, and the commands that use it with a token. */
async function served(token: string = 'writes'): Promise<Served> {
  const prefix = `page${prefixes++}`
  const store = redisStore(redis.connection, { prefix, timeout: 5000 })
  const policies = fixedWindow({ limit: 10, window: '1h' })
  const limiter = createLimiter({ name: 'api', policies, store, denyCache: false })
  const dashboard = createDashboard({
    limiters: { api: limiter },
    authorize: ({ headers }) =>
      ({ 'Bearer writes': 'write', 'Bearer reads': 'read' } as const)[
        String(headers.authorization) as 'Bearer reads'
      ],
    share: redisView(redis.connection, { prefix }),
  })
  const server = createServer(dashboard.handler).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
    await dashboard.close()
  })
  const { port } = server.address() as AddressInfo
  const place = ['--url', `http://127.0.0.1:${port}`, '--header', `authorization: Bearer ${token}`]
  return { limiter, sluice: async (...args) => sluice([...args, ...place]) }
}

const keys = ['ann', ['user', 42], '<img onerror=alert(1)>\u202e', 'x'.repeat(300)] as const

test.each(keys)('each act reaches exactly the key %j, and status shows it', async (key) => {
  const { limiter, sluice } = await served()
  const argument = typeof key === 'string' ? key : JSON.stringify(key)
  const act = async (...args: readonly string[]): Promise<unknown> => {
    const [policy] = jsonOf(await sluice(...args, '--reason', 'a test', '--json'))[
      'policies'
    ] as readonly { readonly used: number; readonly blockedMs: number; readonly exemptMs: number }[]
    const { used, blockedMs, exemptMs } = policy
    return [used, Math.ceil(blockedMs / 60_000), Math.ceil(exemptMs / 60_000)]
  }
  await limiter.consume(key, { cost: 2 })
  expect(await act('penalize', argument, '3')).toEqual([5, 0, 0])
  expect(await act('block', argument, '10m')).toEqual([5, 10, 0])
  expect((await limiter.consume(key)).allowed).toBe(false)
  const { stdout } = await sluice('status', argument)
  expect(stdout).toMatch(/\n\napi {2}default {2}blocked {2}for (?:10m|9m 59s), 5 of 10 used\n$/)
  expect((await sluice('reset', argument, '--reason', 'a test')).stderr).toMatch(/Add --unblock/)
  expect(await act('unblock', argument)).toEqual([5, 0, 0])
  expect(await act('reset', argument)).toEqual([0, 0, 0])
  expect(await act('exempt', argument, '1h')).toEqual([0, 0, 60])
  expect(await act('unexempt', argument)).toEqual([0, 0, 0])
})

test('keys --blocked searches through the dashboard', async () => {
  const { limiter, sluice } = await served()
  await limiter.block(['user', 42], '10m')
  await limiter.consume('ann')
  const { blocked } = jsonOf(await sluice('keys', '--blocked', '--json'))
  expect(blocked).toMatchObject([{ limiter: 'api', key: '|user|42' }])
})

test('top reads the dashboard', async () => {
  const { limiter, sluice } = await served()
  await limiter.consume('ann', { cost: 10 })
  await limiter.consume('ann')
  const { status, stdout } = await sluice('top', '--once')
  expect(status).toBe(0)
  expect(stdout).toMatch(/\n +1 {2}in .* {2}api {6}default {2}ann\n/)
})

test('a visitor who may only read cannot act, and the reason is said', async () => {
  const { sluice } = await served('reads')
  expect((await sluice('status', 'ann')).status).toBe(0)
  const { status, stderr } = await sluice('unblock', 'ann', '--reason', 'a test')
  expect(status).toBe(1)
  expect(stderr).toMatch(
    / answers 403: The role "read" can look, and cannot act\. \(SLUICE_VIEW_READ_ONLY\)\n$/,
  )
})
