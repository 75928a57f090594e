import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Redis } from 'ioredis'
import { startRedis, type RedisServer } from '@sluice/test-kit/servers'
import type { ClientKind } from '../app/client.js'
import { keys } from '../app/limits.js'
import { startProxy } from '../proxy.js'
import type { Row, Scene } from '../scene.js'

/** Redis runs and answers with errors. */
export function refusingRows(kind: ClientKind): readonly Row[] {
  const acts = {
    'out of memory, noeviction': outOfMemory,
    'turned into a read-only replica': readOnly,
    'wrong password': wrongPassword,
    'loading its file': loading,
    'a key of the wrong type': wrongType,
  }
  return Object.entries(acts).map(([fault, act]) => ({
    fault,
    client: kind,
    play: (scene) => act(scene, kind),
  }))
}

/** Another server takes over the address as the master, and the previous one becomes its replica. Open connections stay on the previous one. */
export const replaced: Row = {
  fault: 'another master at its address',
  client: 'ioredis',
  async play(scene) {
    const first = await startRedis({ settings: ['--repl-diskless-load', 'swapdb'] })
    const second = await startRedis({ settings: ['--repl-diskless-sync-delay', '0'] })
    scene.own(first)
    scene.own(second)
    const proxy = scene.own(await startProxy(first.port))
    await scene.begin({ kind: 'ioredis', ports: [proxy.port] })
    scene.now('before', 'store')
    await scene.pass(beforeMs)
    scene.now('taking over', ['store', 'fallback'])
    await scene.empties(async () => {
      proxy.redirect(second.port)
      await first.client().replicaof('127.0.0.1', second.port)
    })
    scene.back()
    await scene.pass(backMs)
    await scene.count(second.client())
  },
}

const beforeMs = 500
const outageMs = 1300
const backMs = 1200

/** A denial writes nothing, so Redis still denies keys over their limit. */
async function outOfMemory(scene: Scene, kind: ClientKind): Promise<void> {
  const { redis, admin } = await startedOn(scene, kind)
  await admin.config('SET', 'maxmemory', '1')
  scene.now('full', (_key, route) => [route === 'open' ? 'fallback' : 'store'], 50)
  await scene.pass(outageMs)
  scene.back()
  await admin.config('SET', 'maxmemory', '0')
  await scene.pass(backMs)
  await scene.count(redis.client())
}

async function readOnly(scene: Scene, kind: ClientKind): Promise<void> {
  // No file is written: all servers share one folder.
  const { redis, admin } = await startedOn(scene, kind, ['--repl-diskless-load', 'swapdb'])
  const master = await startRedis({ settings: ['--repl-diskless-sync-delay', '0'] })
  scene.own(master)
  scene.now('turning', ['store', 'fallback'])
  await admin.replicaof('127.0.0.1', master.port)
  await scene.pass(50)
  while (!(await admin.info('replication')).includes('master_link_status:up')) await scene.pass(5)
  scene.now('replica', 'fallback', 50)
  await scene.pass(outageMs)
  // It has the data of its master, which is empty.
  scene.emptied()
  scene.back()
  await admin.replicaof('NO', 'ONE')
  await scene.pass(backMs)
  await scene.count(redis.client())
}

/** The client has a wrong password. Then the password of the server is changed to it. */
async function wrongPassword(scene: Scene, kind: ClientKind): Promise<void> {
  const settings = ['--requirepass', 'theirs']
  const redis = scene.own(await startRedis({ settings, password: 'theirs' }))
  const admin = redis.client()
  const client = { kind, ports: [redis.port], password: 'ours' }
  await scene.begin(client, { connect: 'meanwhile' })
  scene.now('refused', 'fallback')
  await scene.pass(outageMs)
  scene.back()
  await admin.config('SET', 'requirepass', 'ours')
  await scene.pass(backMs)
  await scene.count(redis.client({ password: 'ours' }))
}

/** Redis restarts with a large file and answers LOADING for a while. It keeps every count. */
async function loading(scene: Scene, kind: ClientKind): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'redis-loading-'))
  scene.own({ stop: () => rm(folder, { recursive: true, force: true }) })
  const file = ['--dir', folder, '--enable-debug-command', 'yes']
  const { redis, admin } = await startedOn(scene, kind, file)
  await admin.call('DEBUG', 'POPULATE', manyKeys)
  scene.now('loading', 'fallback', 50)
  scene.repliesLost()
  // A client that reconnects would send the command again.
  const last = redis.client({ retryStrategy: () => null })
  await last.shutdown('SAVE').catch(() => {})
  const slow = ['--key-load-delay', `${microsecondsEach}`]
  const often = ['--loading-process-events-interval-bytes', '1024']
  const settings = [...file, ...slow, ...often]
  const again = scene.own(await startRedis({ port: redis.port, settings }))
  scene.back()
  await scene.pass(backMs)
  await scene.count(again.client())
}

const manyKeys = 2500
const microsecondsEach = 500

/** Only the requests for one key are decided without Redis. */
async function wrongType(scene: Scene, kind: ClientKind): Promise<void> {
  const { redis, admin } = await startedOn(scene, kind)
  const [broken] = keys
  const redisKeys = [`sluice:open:1{${broken}}`, `sluice:tight:1{${broken}}`]
  for (const redisKey of redisKeys) {
    await admin.multi().del(redisKey).rpush(redisKey, 'a list').exec()
  }
  scene.now('wrong type', (key) => [key === broken ? 'fallback' : 'store'], 50)
  await scene.pass(outageMs)
  scene.emptied([broken])
  scene.back()
  await admin.del(...redisKeys)
  await scene.pass(backMs)
  await scene.count(redis.client())
}

async function startedOn(
  scene: Scene,
  kind: ClientKind,
  settings: readonly string[] = [],
): Promise<{ redis: RedisServer; admin: Redis }> {
  const redis = scene.own(await startRedis({ settings }))
  const admin = redis.client()
  await admin.ping()
  await scene.begin({ kind, ports: [redis.port] })
  scene.now('before', 'store')
  await scene.pass(beforeMs)
  return { redis, admin }
}
