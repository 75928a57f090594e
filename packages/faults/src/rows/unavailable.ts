import { startRedis, type RedisServer, type RedisSettings } from '@sluice/test-kit/servers'
import type { ClientKind, ClientSpec } from '../app/client.js'
import { startProxy, type Proxy } from '../proxy.js'
import type { Row, Scene } from '../scene.js'

/** Redis does not run or cannot be reached. */
export function unavailableRows(kind: ClientKind): readonly Row[] {
  return [
    row('killed, restarted empty', (scene) => killed(scene)),
    row('paused for 1.5 s', (scene) => paused(scene, 1500)),
    row('absent, then available', absent),
    row('slow: 30 ms each way', slow),
    row('too slow: 200 ms, then 400 each way', tooSlow),
    // node-redis 4 keeps the beginning of a cut reply for the next connection, reads later replies as the rest of it, and may end the process
    // by an exception. Sluice cannot prevent that, so only whole replies are cut for this client.
    kind === 'node-redis 4'
      ? row('cut instead of replies', (scene) => cut(scene, 0))
      : row('cut in the middle of replies', (scene) => cut(scene, 7)),
    row('not connected, then connected', unconnected),
    row('closed by its owner', closed),
  ]

  function row(fault: string, act: (scene: ClientScene) => Promise<void>): Row {
    return { fault, client: kind, play: (scene) => act({ ...scene, kind }) }
  }
}

/** One row for each other setting of `onStoreError`. */
export const configuredRows: readonly Row[] = (['allow', 'deny'] as const).map((onStoreError) => ({
  fault: `killed, restarted empty; '${onStoreError}'`,
  client: 'ioredis',
  play: (scene) => killed({ ...scene, kind: 'ioredis' }, onStoreError),
}))

export const longPause: Row = {
  fault: 'paused for 5 s',
  client: 'ioredis',
  play: (scene) => paused({ ...scene, kind: 'ioredis' }, 5000),
}

/** iovalkey differs from ioredis only in its name. */
export const valkey: Row = {
  fault: 'killed, restarted empty',
  client: 'iovalkey',
  play: (scene) => killed({ ...scene, kind: 'iovalkey' }),
}

interface ClientScene extends Scene {
  readonly kind: ClientKind
}

/** Enough time for the tight limit to be used up and for all code to be warm. */
const beforeMs = 500
const outageMs = 1300
const backMs = 1200

/** How long the client may read replies that Redis sent before it stopped. */
const lastRepliesMs = 50

const sourceInstead = { local: 'fallback', allow: 'open', deny: 'closed' } as const

async function killed(
  scene: ClientScene,
  onStoreError: 'local' | 'allow' | 'deny' = 'local',
): Promise<void> {
  const redis = await server(scene)
  await scene.begin(clientOf(scene, redis.port), { onStoreError })
  scene.now('before', 'store')
  await scene.pass(beforeMs)
  process.kill(redis.pid, 'SIGKILL')
  scene.now('unavailable', sourceInstead[onStoreError], lastRepliesMs)
  await scene.pass(outageMs)
  scene.emptied()
  const again = await server(scene, { port: redis.port })
  scene.back()
  await scene.pass(backMs)
  await scene.count(again.client())
}

async function paused(scene: ClientScene, forMs: number): Promise<void> {
  const redis = await server(scene)
  await scene.begin(clientOf(scene, redis.port))
  scene.now('before', 'store')
  await scene.pass(beforeMs)
  process.kill(redis.pid, 'SIGSTOP')
  scene.now('paused', 'fallback', lastRepliesMs)
  await scene.pass(forMs)
  scene.back()
  process.kill(redis.pid, 'SIGCONT')
  await scene.pass(backMs)
  await scene.count(redis.client())
}

async function absent(scene: ClientScene): Promise<void> {
  const gone = await startRedis()
  await gone.stop()
  await scene.begin(clientOf(scene, gone.port), { connect: 'meanwhile' })
  scene.now('absent', 'fallback')
  await scene.pass(outageMs)
  const redis = await server(scene, { port: gone.port })
  scene.back()
  await scene.pass(backMs)
  await scene.count(redis.client())
}

async function slow(scene: ClientScene): Promise<void> {
  const { redis, proxy } = await proxied(scene)
  proxy.delay(30)
  scene.now('slow', 'store')
  await scene.pass(outageMs)
  proxy.delay(0)
  scene.back()
  await scene.pass(backMs)
  await scene.count(redis.client())
}

/** Calls reach Redis in time and are counted. Their replies arrive too late, so the units are refunded, which takes longer still. */
async function tooSlow(scene: ClientScene): Promise<void> {
  const { redis, proxy } = await proxied(scene)
  proxy.delay(200)
  scene.now('slow', 'fallback')
  await scene.pass(350)
  proxy.delay(400)
  await scene.pass(outageMs - 350)
  proxy.delay(0)
  scene.back()
  await scene.pass(backMs)
  await scene.count(redis.client())
}

async function cut(scene: ClientScene, afterBytes: number): Promise<void> {
  const { redis, proxy } = await proxied(scene)
  scene.now('cut', ['store', 'fallback'])
  for (let i = 0; i < 4; i++) {
    await proxy.cut(afterBytes)
    scene.repliesLost()
    await scene.pass(250)
  }
  scene.back()
  await scene.pass(backMs)
  await scene.count(redis.client())
}

/** ioredis connects with the first command. node-redis connects when its owner calls `connect`. */
async function unconnected(scene: ClientScene): Promise<void> {
  const redis = await server(scene)
  await scene.begin(clientOf(scene, redis.port), { connect: 'when told' })
  if (scene.kind === 'ioredis') {
    scene.now('unconnected', 'store')
    await scene.pass(beforeMs)
  } else {
    scene.now('unconnected', 'fallback')
    await scene.pass(outageMs)
    await scene.tell({ do: 'connect' })
    scene.back()
    await scene.pass(backMs)
  }
  await scene.count(redis.client())
}

async function closed(scene: ClientScene): Promise<void> {
  const redis = await server(scene)
  await scene.begin(clientOf(scene, redis.port))
  scene.now('before', 'store')
  await scene.pass(beforeMs)
  scene.now('closed', 'fallback', 100)
  await scene.tell({ do: 'close' })
  await scene.pass(outageMs)
  await scene.count(redis.client())
}

async function proxied(scene: ClientScene): Promise<{ redis: RedisServer; proxy: Proxy }> {
  const redis = await server(scene)
  const proxy = scene.own(await startProxy(redis.port))
  await scene.begin(clientOf(scene, proxy.port))
  scene.now('before', 'store')
  await scene.pass(beforeMs)
  return { redis, proxy }
}

async function server(scene: Scene, settings?: RedisSettings): Promise<RedisServer> {
  return scene.own(await startRedis(settings))
}

function clientOf({ kind }: ClientScene, port: number): ClientSpec {
  return { kind, ports: [port] }
}
