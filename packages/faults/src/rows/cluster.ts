import { startCluster, type RedisCluster } from '@sluice/test-kit/servers'
import type { ClientKind } from '../app/client.js'
import { keys } from '../app/limits.js'
import type { Row, Scene } from '../scene.js'

/** Faults of a Cluster. Each key of the traffic is on another master. The fault concerns the first master. */
export function clusterRows(kind: ClientKind): readonly Row[] {
  const acts = {
    // After the loss of a master, node-redis 4 never looks for the new one.
    ...(kind === 'node-redis 4 cluster' ? {} : { 'Cluster failover': failover }),
    'Cluster failover, planned': plannedFailover,
    'a slot that moves (ASK, MOVED)': move,
    'a master lost for good': lost,
  }
  return Object.entries(acts).map(([fault, act]) => ({
    fault,
    client: kind,
    play: (scene) => act(scene, kind),
  }))
}

const beforeMs = 500
const backMs = 1200
const outageMs = 1300

/** How long a master must be silent before the Cluster considers it lost. */
const downAfterMs = 800

const [moved, ...others] = keys

/** The other slots are served all the time. */
async function failover(scene: Scene, kind: ClientKind): Promise<void> {
  const settings = ['--cluster-require-full-coverage', 'no']
  const cluster = await startedOn(scene, kind, { replicas: 1, settings })
  scene.mastersLost()
  process.kill(cluster.nodes[0].pid, 'SIGKILL')
  scene.now('no master', (key) => [key === moved ? 'fallback' : 'store'], 50)
  const replica = cluster.admins[cluster.admins.length - 1]
  while (!(await replica.info('replication')).includes('role:master')) await scene.pass(5)
  scene.back()
  await scene.pass(backMs)
  await scene.count(cluster.client())
}

/** The replica takes over on command, and the master becomes its replica. */
async function plannedFailover(scene: Scene, kind: ClientKind): Promise<void> {
  const cluster = await startedOn(scene, kind, { replicas: 1 })
  const replica = cluster.admins[cluster.admins.length - 1]
  scene.now('taking over', ['store', 'fallback'])
  await replica.cluster('FAILOVER')
  await scene.pass(50)
  while (!(await replica.info('replication')).includes('role:master')) await scene.pass(5)
  scene.back()
  await scene.pass(backMs)
  await scene.count(cluster.client())
}

async function lost(scene: Scene, kind: ClientKind): Promise<void> {
  const cluster = await startedOn(scene, kind, {
    settings: ['--cluster-require-full-coverage', 'no'],
  })
  process.kill(cluster.nodes[0].pid, 'SIGKILL')
  scene.now('lost', (key) => [key === moved ? 'fallback' : 'store'], 50)
  await scene.pass(2 * outageMs)
  await scene.count(cluster.client(), others)
}

/** In steps: the new owner is informed, then the old one (ASK), the keys move, and all nodes are informed of the end (MOVED). */
async function move(scene: Scene, kind: ClientKind): Promise<void> {
  const cluster = await startedOn(scene, kind)
  const [from, to] = cluster.admins
  const [fromId, toId] = await Promise.all([from.cluster('MYID'), to.cluster('MYID')])
  const slot = await from.cluster('KEYSLOT', `{${moved}}`)
  const { port } = cluster.nodes[1]
  scene.now('moving', 'store')
  await to.cluster('SETSLOT', slot, 'IMPORTING', fromId)
  await from.cluster('SETSLOT', slot, 'MIGRATING', toId)
  await scene.pass(outageMs / 4)
  for (const key of await from.cluster('GETKEYSINSLOT', slot, 100)) {
    await from.call('MIGRATE', '127.0.0.1', port, key, 0, 5000)
    await scene.pass(outageMs / 4)
  }
  scene.now('moved', 'store')
  for (const admin of cluster.admins) await admin.cluster('SETSLOT', slot, 'NODE', toId)
  await scene.pass(outageMs / 2)
  await scene.count(cluster.client())
}

async function startedOn(
  scene: Scene,
  kind: ClientKind,
  settings?: Parameters<typeof startCluster>[0],
): Promise<RedisCluster> {
  const cluster = scene.own(await startCluster(settings))
  for (const admin of cluster.admins) {
    await admin.config('SET', 'cluster-node-timeout', downAfterMs)
  }
  await scene.begin({ kind, ports: cluster.nodes.map(({ port }) => port) })
  scene.now('before', 'store')
  await scene.pass(beforeMs)
  return cluster
}
