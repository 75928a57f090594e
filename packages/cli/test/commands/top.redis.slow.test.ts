import { createLimiter, fixedWindow } from '@sluice/core'
import { createDashboard, redisView } from '@sluice/dashboard'
import { startRedis, useCluster, useRedis } from '@sluice/test-kit/redis'
import type { Cluster, Redis } from 'ioredis'
import { expect, onTestFinished, test, vi } from 'vitest'
import { sluice } from '../sluice.js'

const redis = useRedis()
const cluster = useCluster()
let prefixes = 0

/** An application whose dashboard has written its data: 3 requests of ann are allowed and 2 are denied, 1 of bob is allowed. */
async function application(client: Redis | Cluster = redis.connection): Promise<string> {
  const prefix = `top${prefixes++}`
  const limiter = createLimiter({ name: 'api', policies: fixedWindow({ limit: 3, window: '1h' }) })
  const share = redisView(client, { prefix })
  const dashboard = createDashboard({ limiters: { api: limiter }, authorize: () => 'read', share })
  onTestFinished(async () => dashboard.close())
  for (const key of ['ann', 'ann', 'ann', 'ann', 'ann', ['user', 42]]) limiter.consume(key)
  const isWritten = async (): Promise<void> => expect((await share.read()).snapshots.size).toBe(1)
  await vi.waitFor(isWritten)
  return prefix
}

const urlOf = ({ port }: { readonly port: number }): string => `redis://127.0.0.1:${port}`

test('top --redis shows what the dashboards of the processes have written', async () => {
  const prefix = await application()
  const { status, stdout, stderr } = await sluice([
    'top',
    '--once',
    '--redis',
    urlOf(redis),
    '--prefix',
    prefix,
  ])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const [head, , ...lines] = stdout.split('\n')
  expect(head).toMatch(/^sluice top {2}\S+ UTC {2}1 process {2}redis:\/\/127\.0\.0\.1:\d+$/)
  const words = lines.map((line) => line.trim().replaceAll(/ {2,}/g, ' | '))
  expect(words.map((line) => line.replace(/in 5\d.*? \|/, 'in TIME |'))).toEqual([
    'req/s | denied/s | share | last hour | denied | keys denied | limiter',
    expect.stringMatching(/^\d\.\d \| \d\.\d \| \d+\.\d % \| 6 \| 2 \| 1 \| api$/),
    '',
    'denials | allowed | limiter | by | denied key',
    expect.stringMatching(/^2 \| in .* \| api \| default \| ann$/),
    '',
    'requests | at least | limiter | key with the most requests',
    '5 | api | ann',
    '1 | api | |user|42',
    '',
  ])
})

test('top --redis reads a Cluster', async () => {
  const prefix = await application(cluster.client())
  const place = ['--redis', urlOf(cluster.nodes[0]), '--cluster', '--prefix', prefix]
  const { status, stdout } = await sluice(['top', '--once', '--json', ...place])
  expect(status).toBe(0)
  const { processes, limiters } = JSON.parse(stdout)
  expect([processes, limiters.map(({ name }: { name: string }) => name)]).toEqual([1, ['api']])
})

test('top --redis says that no process has written data', async () => {
  const { stdout } = await sluice(['top', '--once', '--redis', urlOf(redis), '--prefix', 'none'])
  expect(stdout.split('\n').slice(1, 4)).toEqual([
    'no process has written data: does the application pass "share: redisView(redis)" to createDashboard, with this prefix?',
    '',
    'no request yet',
  ])
})

test('top --redis fails if Redis cannot be reached at the start', async () => {
  expect(await sluice(['top', '--once', '--redis', 'redis://ada:secret@127.0.0.1:1'])).toEqual({
    status: 1,
    stdout: '',
    stderr: 'error: no connection to redis://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1\n',
  })
})

test('top --redis connects again after a failure', async () => {
  const { openViewSource } = await import('../../src/live/view-source.js')
  const server = await startRedis()
  const source = openViewSource({ redis: urlOf(server) }, 20)
  onTestFinished(() => source.close())
  expect((await source.read()).processes).toBe(0)
  await server.stop()
  await expect(source.read()).rejects.toThrow()
  await expect(source.read()).rejects.toThrow(
    /^no connection to redis:\/\/127\.0\.0\.1:\d+: connect/,
  )
  const again = await startRedis({ port: server.port })
  onTestFinished(async () => again.stop())
  expect((await source.read()).processes).toBe(0)
})
