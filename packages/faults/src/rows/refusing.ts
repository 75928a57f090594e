import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Redis } from 'ioredis'
import { startRedis, type RedisServer } from '@sluice/conformance/servers'
import type { ClientKind } from '../client.js'
import { keys } from '../limits.js'
import { startProxy } from '../proxy.js'
import type { Row, Scene } from '../scene.js'

/** Redis is there and answers, and says no. */
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

/** Behind the same address another server becomes the master, and the one before its replica. Connections stay where they are. */
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
const awayMs = 1300
const backMs = 1200

/** A denial writes nothing, so that Redis itself goes on denying what is used up. */
async function outOfMemory(scene: Scene, kind: ClientKind): Promise<void> {
  const { redis, admin } = await begun(scene, kind)
  await admin.config('SET', 'maxmemory', '1')
  scene.now('full', (_key, route) => [route === 'open' ? 'fallback' : 'store'], 50)
  await scene.pass(awayMs)
  scene.back()
  await admin.config('SET', 'maxmemory', '0')
  await scene.pass(backMs)
  await scene.count(redis.client())
}

async function readOnly(scene: Scene, kind: ClientKind): Promise<void> {
  // No file is written: the one that becomes a replica lies where others do.
  const { redis, admin } = await begun(scene, kind, ['--repl-diskless-load', 'swapdb'])
  const master = await startRedis({ settings: ['--repl-diskless-sync-delay', '0'] })
  scene.own(master)
  scene.now('turning', ['store', 'fallback'])
  await admin.replicaof('127.0.0.1', master.port)
  await scene.pass(50)
  while (!(await admin.info('replication')).includes('master_link_status:up')) await scene.pass(5)
  scene.now('replica', 'fallback', 50)
  await scene.pass(awayMs)
  // It has what its master has: nothing.
  scene.emptied()
  scene.back()
  await admin.replicaof('NO', 'ONE')
  await scene.pass(backMs)
  await scene.count(redis.client())
}

/** The owner's client says a password that is not the one; then the server's is changed to it. */
async function wrongPassword(scene: Scene, kind: ClientKind): Promise<void> {
  const settings = ['--requirepass', 'theirs']
  const redis = scene.own(await startRedis({ settings, password: 'theirs' }))
  const admin = redis.client()
  const client = { kind, ports: [redis.port], password: 'ours' }
  await scene.begin(client, { connect: 'meanwhile' })
  scene.now('refused', 'fallback')
  await scene.pass(awayMs)
  scene.back()
  await admin.config('SET', 'requirepass', 'ours')
  await scene.pass(backMs)
  await scene.count(redis.client({ password: 'ours' }))
}

/** Restarted with so large a file that it answers LOADING for a while. It has kept every count. */
async function loading(scene: Scene, kind: ClientKind): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'redis-loading-'))
  scene.own({ stop: () => rm(folder, { recursive: true, force: true }) })
  const file = ['--dir', folder, '--enable-debug-command', 'yes']
  const { redis, admin } = await begun(scene, kind, file)
  await admin.call('DEBUG', 'POPULATE', manyKeys)
  scene.now('loading', 'fallback', 50)
  scene.repliesLost()
  // One that came back would send it again.
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

/** Only the requests for this key are decided without Redis. */
async function wrongType(scene: Scene, kind: ClientKind): Promise<void> {
  const { redis, admin } = await begun(scene, kind)
  const [broken] = keys
  const places = [`sluice:open:{${broken}}`, `sluice:tight:{${broken}}`]
  for (const place of places) {
    await admin.multi().del(place).rpush(place, 'a list').exec()
  }
  scene.now('in its place', (key) => [key === broken ? 'fallback' : 'store'], 50)
  await scene.pass(awayMs)
  scene.emptied([broken])
  scene.back()
  await admin.del(...places)
  await scene.pass(backMs)
  await scene.count(redis.client())
}

async function begun(
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
