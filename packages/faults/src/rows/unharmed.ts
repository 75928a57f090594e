import { startRedis, type RedisServer } from '@sluice/test-kit/servers'
import type { ClientKind } from '../app/client.js'
import type { Row, Scene } from '../scene.js'

/** Redis keeps running, and it must make every decision. */
export function unharmedRows(kind: ClientKind): readonly Row[] {
  const acts = { 'SCRIPT FLUSH': scriptFlush, FLUSHALL: flushAll }
  return Object.entries(acts).map(([fault, act]) => ({
    fault,
    client: kind,
    play: (scene) => act(scene, kind),
  }))
}

export const clockRows: readonly Row[] = [
  { fault: 'clock an hour forwards and back', client: 'ioredis', play: clockSet },
  { fault: 'the same while Redis is unavailable', client: 'ioredis', play: clockSetAlone },
]

const stepMs = 400
const hourMs = 3_600_000

async function scriptFlush(scene: Scene, kind: ClientKind): Promise<void> {
  const redis = await startedOn(scene, kind)
  await scene.pass(stepMs)
  scene.now('flushed', 'store')
  for (let i = 0; i < 4; i++) {
    await redis.client().script('FLUSH')
    await scene.pass(stepMs / 2)
  }
  await scene.count(redis.client())
}

async function flushAll(scene: Scene, kind: ClientKind): Promise<void> {
  const redis = await startedOn(scene, kind)
  await scene.pass(stepMs)
  scene.now('flushed', 'store')
  await scene.empties(() => redis.client().flushall())
  await scene.pass(3 * stepMs)
  await scene.count(redis.client())
}

async function clockSet(scene: Scene): Promise<void> {
  const redis = await startedOn(scene, 'ioredis')
  await scene.pass(stepMs)
  await setTo(scene, 'forwards', hourMs, 'store')
  await setTo(scene, 'back', -hourMs, 'store')
  await setTo(scene, 'right again', 0, 'store')
  await scene.count(redis.client())
}

/** The fallback uses a monotonic clock: a used-up limit stays used up. */
async function clockSetAlone(scene: Scene): Promise<void> {
  const redis = await startedOn(scene, 'ioredis')
  await scene.pass(stepMs)
  scene.now('paused', 'fallback', stepMs)
  process.kill(redis.pid, 'SIGSTOP')
  await scene.pass(3 * stepMs)
  await setTo(scene, 'forwards', hourMs, 'fallback')
  await setTo(scene, 'back', -hourMs, 'fallback')
  await setTo(scene, 'right again', 0, 'fallback')
  scene.back()
  process.kill(redis.pid, 'SIGCONT')
  await scene.pass(3 * stepMs)
  await scene.count(redis.client())
}

async function setTo(
  scene: Scene,
  phase: string,
  aheadMs: number,
  source: 'store' | 'fallback',
): Promise<void> {
  scene.now(phase, source)
  await scene.tell({ do: 'set clock', aheadMs })
  await scene.pass(stepMs)
}

async function startedOn(scene: Scene, kind: ClientKind): Promise<RedisServer> {
  const redis = scene.own(await startRedis())
  await scene.begin({ kind, ports: [redis.port] })
  scene.now('before', 'store')
  return redis
}
