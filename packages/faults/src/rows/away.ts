import { startRedis, type RedisServer, type RedisSettings } from '@sluice/conformance/servers'
import type { ClientKind, ClientSpec } from '../client.js'
import { startProxy, type Proxy } from '../proxy.js'
import type { Row, Scene } from '../scene.js'

/** Redis is not there, or cannot be reached. */
export function awayRows(kind: ClientKind): readonly Row[] {
  return [
    row('killed, restarted empty', (scene) => killed(scene)),
    row('paused for 1.5 s', (scene) => paused(scene, 1500)),
    row('absent, then there', absent),
    row('slow: 30 ms each way', slow),
    row('too slow: 200 ms, then 400 each way', tooSlow),
    // node-redis 4 keeps what it has read of a reply for the next connection, takes later replies for the rest of it, and may end the
    // process by an exception of its own. Nothing around it can help that, so it loses replies as a whole here.
    kind === 'node-redis 4'
      ? row('cut in the place of replies', (scene) => cut(scene, 0))
      : row('cut in the middle of replies', (scene) => cut(scene, 7)),
    row('not connected, then connected', unconnected),
    row('closed by its owner', closed),
  ]

  function row(fault: string, act: (scene: Stage) => Promise<void>): Row {
    return { fault, client: kind, play: (scene) => act({ ...scene, kind }) }
  }
}

/** With each answer that a limiter can be told to give. */
export const toldRows: readonly Row[] = (['allow', 'deny'] as const).map((onStoreError) => ({
  fault: `killed, restarted empty; '${onStoreError}'`,
  client: 'ioredis',
  play: (scene) => killed({ ...scene, kind: 'ioredis' }, onStoreError),
}))

export const longPause: Row = {
  fault: 'paused for 5 s',
  client: 'ioredis',
  play: (scene) => paused({ ...scene, kind: 'ioredis' }, 5000),
}

/** The client that is told apart by nothing but its name. */
export const valkey: Row = {
  fault: 'killed, restarted empty',
  client: 'iovalkey',
  play: (scene) => killed({ ...scene, kind: 'iovalkey' }),
}

interface Stage extends Scene {
  readonly kind: ClientKind
}

/** So long it takes the tight limit to be used up, and everything to be warm. */
const beforeMs = 500
const awayMs = 1300
const backMs = 1200

/** What Redis said before it stopped is read for so long. */
const lastWordsMs = 50

const instead = { local: 'fallback', allow: 'open', deny: 'closed' } as const

async function killed(
  scene: Stage,
  onStoreError: 'local' | 'allow' | 'deny' = 'local',
): Promise<void> {
  const redis = await server(scene)
  await scene.begin(clientOf(scene, redis.port), { onStoreError })
  scene.now('before', 'store')
  await scene.pass(beforeMs)
  process.kill(redis.pid, 'SIGKILL')
  scene.now('away', instead[onStoreError], lastWordsMs)
  await scene.pass(awayMs)
  scene.emptied()
  const again = await server(scene, { port: redis.port })
  scene.back()
  await scene.pass(backMs)
  await scene.count(again.client())
}

async function paused(scene: Stage, forMs: number): Promise<void> {
  const redis = await server(scene)
  await scene.begin(clientOf(scene, redis.port))
  scene.now('before', 'store')
  await scene.pass(beforeMs)
  process.kill(redis.pid, 'SIGSTOP')
  scene.now('paused', 'fallback', lastWordsMs)
  await scene.pass(forMs)
  scene.back()
  process.kill(redis.pid, 'SIGCONT')
  await scene.pass(backMs)
  await scene.count(redis.client())
}

async function absent(scene: Stage): Promise<void> {
  const gone = await startRedis()
  await gone.stop()
  await scene.begin(clientOf(scene, gone.port), { connect: 'meanwhile' })
  scene.now('absent', 'fallback')
  await scene.pass(awayMs)
  const redis = await server(scene, { port: gone.port })
  scene.back()
  await scene.pass(backMs)
  await scene.count(redis.client())
}

async function slow(scene: Stage): Promise<void> {
  const { redis, proxy } = await proxied(scene)
  proxy.delay(30)
  scene.now('slow', 'store')
  await scene.pass(awayMs)
  proxy.delay(0)
  scene.back()
  await scene.pass(backMs)
  await scene.count(redis.client())
}

/** Calls reach Redis in time, and are counted; their replies come too late, so that they are given back, which takes longer still. */
async function tooSlow(scene: Stage): Promise<void> {
  const { redis, proxy } = await proxied(scene)
  proxy.delay(200)
  scene.now('slow', 'fallback')
  await scene.pass(350)
  proxy.delay(400)
  await scene.pass(awayMs - 350)
  proxy.delay(0)
  scene.back()
  await scene.pass(backMs)
  await scene.count(redis.client())
}

async function cut(scene: Stage, afterBytes: number): Promise<void> {
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

/** ioredis connects with the first command; node-redis waits for its owner. */
async function unconnected(scene: Stage): Promise<void> {
  const redis = await server(scene)
  await scene.begin(clientOf(scene, redis.port), { connect: 'when told' })
  if (scene.kind === 'ioredis') {
    scene.now('unconnected', 'store')
    await scene.pass(beforeMs)
  } else {
    scene.now('unconnected', 'fallback')
    await scene.pass(awayMs)
    await scene.tell({ do: 'connect' })
    scene.back()
    await scene.pass(backMs)
  }
  await scene.count(redis.client())
}

async function closed(scene: Stage): Promise<void> {
  const redis = await server(scene)
  await scene.begin(clientOf(scene, redis.port))
  scene.now('before', 'store')
  await scene.pass(beforeMs)
  scene.now('closed', 'fallback', 100)
  await scene.tell({ do: 'close' })
  await scene.pass(awayMs)
  await scene.count(redis.client())
}

async function proxied(scene: Stage): Promise<{ redis: RedisServer; proxy: Proxy }> {
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

function clientOf({ kind }: Stage, port: number): ClientSpec {
  return { kind, ports: [port] }
}
