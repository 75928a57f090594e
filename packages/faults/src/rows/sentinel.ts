import { startSentinels } from '@sluice/test-kit/servers'
import type { ClientKind } from '../app/client.js'
import type { Row, Scene } from '../scene.js'

/** The master is killed, and the Sentinels promote its replica. */
export function sentinelRow(kind: ClientKind): Row {
  return {
    fault: 'Sentinel failover',
    client: kind,
    busyMs: kind === 'node-redis 6 sentinel' ? nodeRedisBusyMs : 0,
    play: (scene) => failover(scene, kind),
  }
}

const downAfterMs = 500
const beforeMs = 500
const backMs = 1200

/** How long node-redis waits after each failed search for the master. There is no option for it. */
const nodeRedisPauseMs = 1000

/** How long node-redis is busy when it connects to the Sentinels again: it builds a class of all commands for each, 25 ms and more. */
const nodeRedisBusyMs = 100

async function failover(scene: Scene, kind: ClientKind): Promise<void> {
  const redis = scene.own(await startSentinels(downAfterMs))
  await scene.begin({ kind, ports: redis.sentinels.map(({ port }) => port) })
  scene.now('before', 'store')
  await scene.pass(beforeMs)
  scene.mastersLost()
  process.kill(redis.master.pid, 'SIGKILL')
  scene.now('no master', 'fallback', 50)
  const replica = redis.replica.client()
  while (!(await replica.info('replication')).includes('role:master')) await scene.pass(5)
  // A client can find the new master when the Sentinels name it.
  const sentinel = redis.sentinels[0].client()
  while (!(await isNamed(redis.replica.port))) await scene.pass(5)
  const pauseMs = kind === 'node-redis 6 sentinel' ? nodeRedisPauseMs : 0
  scene.back(pauseMs)
  await scene.pass(backMs + pauseMs)
  await scene.count(redis.replica.client())

  async function isNamed(port: number): Promise<boolean> {
    const address = await sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', redis.name)
    return Array.isArray(address) && address[1] === `${port}`
  }
}
