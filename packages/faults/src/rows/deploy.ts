import { startCluster, startRedis } from '@sluice/test-kit/servers'
import type { ClientKind, ClientSpec } from '../app/client.js'
import type { Row, Scene } from '../scene.js'

/** Redis keeps running, and half of the processes are of a new version of the application, whose limits have another algorithm. */
export const deployRows: readonly Row[] = (['ioredis', 'ioredis Cluster'] as const).map((kind) => ({
  fault: 'a rolling deploy that changes the algorithm',
  client: kind,
  play: (scene) => deploy(scene, kind),
}))

const versions = ['fixedWindow', 'slidingWindow', 'fixedWindow', 'slidingWindow'] as const

/** Long enough for most requests to exceed the tight limit of both versions. */
const togetherMs = 3000

/** Each version allows exactly its own limit, so that a client is never allowed more than the sum of both. */
async function deploy(scene: Scene, kind: ClientKind): Promise<void> {
  const { spec, reader } = await serverFor(scene, kind)
  await scene.beginVersions(spec, versions)
  scene.now('together', 'store')
  await scene.pass(togetherMs)
  await scene.count(reader)
}

async function serverFor(scene: Scene, kind: ClientKind) {
  if (kind === 'ioredis') {
    const redis = scene.own(await startRedis())
    return { spec: specOf(kind, [redis.port]), reader: redis.client() }
  }
  const cluster = scene.own(await startCluster())
  const ports = cluster.nodes.map(({ port }) => port)
  return { spec: specOf(kind, ports), reader: cluster.client() }
}

function specOf(kind: ClientKind, ports: readonly number[]): ClientSpec {
  return { kind, ports }
}
