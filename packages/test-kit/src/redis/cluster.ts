import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Cluster, type Redis } from 'ioredis'
import { followed } from './replica.js'
import { freePort, startRedis, type RedisServer } from './server.js'

/** A real Redis Cluster of three masters on the loopback, with all slots between them. */
export interface RedisCluster {
  /** The masters, and after them the replicas. */
  readonly nodes: readonly RedisServer[]
  /** A connection to each node, for commands of the test itself. */
  readonly admins: readonly Redis[]
  /** A new client of the whole, which `stop` closes. */
  client(): Cluster
  stop(): Promise<void>
}

export interface ClusterSettings {
  /**
   * How many of the masters, from the first on, have a replica.
   *
   * @default 0
   */
  readonly replicas?: number
  /**
   * More settings of each node, as on its command line.
   *
   * @default []
   */
  readonly settings?: readonly string[]
}

const masters = 3
const slots = 16_384
const agreesWithinMs = 20_000

/** The node timeout: short while the nodes meet, then so long that a busy machine does not lose one. */
const trialMs = 500
const patienceMs = 60_000

/**
 * Starts the nodes, gives each its share of the slots, and waits until all of them report that the cluster is well. It needs Redis 7, in
 * which the port between nodes can be chosen.
 *
 * @example
 * let cluster: RedisCluster
 * beforeAll(async () => { cluster = await startCluster() })
 * afterAll(() => cluster.stop())
 */
export async function startCluster(given: ClusterSettings = {}): Promise<RedisCluster> {
  const { replicas = 0, settings = [] } = given
  const folder = await mkdtemp(join(tmpdir(), 'redis-cluster-'))
  const nodes: RedisServer[] = []
  const clients = new Set<Cluster>()

  async function stop(): Promise<void> {
    for (const client of clients) client.disconnect()
    await Promise.all(nodes.map(async (node) => node.stop()))
    await rm(folder, { recursive: true, force: true })
  }

  try {
    const busPorts = await Promise.all(Array.from({ length: masters + replicas }, freePort))
    for (const [i, busPort] of busPorts.entries()) {
      const own = ['--cluster-enabled', 'yes', '--cluster-port', `${busPort}`, '--dir', folder]
      const file = ['--cluster-config-file', `nodes-${i}.conf`, '--dbfilename', `${i}.rdb`]
      const trial = ['--cluster-node-timeout', `${trialMs}`, '--repl-diskless-sync-delay', '0']
      nodes.push(await startRedis({ settings: [...own, ...file, ...trial, ...settings] }))
    }
    const admins = nodes.map((node) => node.client())
    await introduce(admins, nodes, busPorts)
    await agreed(admins)
    for (const [i, admin] of admins.slice(masters).entries()) await replicate(admin, admins[i])
    await Promise.all(
      admins.map(async (admin) => admin.config('SET', 'cluster-node-timeout', patienceMs)),
    )
    return { nodes, admins, client, stop }
  } catch (error) {
    await stop()
    throw error
  }

  function client(): Cluster {
    const cluster = new Cluster(nodes.map(({ port }) => ({ host: '127.0.0.1', port })))
    cluster.on('error', () => {})
    clients.add(cluster)
    return cluster
  }
}

/** Gives each node its slots and its own configuration epoch, and introduces the nodes to each other. */
async function introduce(
  admins: readonly Redis[],
  nodes: readonly RedisServer[],
  busPorts: readonly number[],
): Promise<void> {
  for (const [i, admin] of admins.entries()) {
    const first = Math.ceil((i * slots) / masters)
    const last = Math.ceil(((i + 1) * slots) / masters) - 1
    if (i < masters) {
      await admin.call('CLUSTER', 'ADDSLOTSRANGE', first, last)
      await admin.call('CLUSTER', 'SET-CONFIG-EPOCH', i + 1)
    }
  }
  // Redis accepts an epoch only on a node that knows no other node.
  for (const [i, admin] of admins.entries()) {
    for (const [j, { port }] of nodes.entries()) {
      if (j !== i) await admin.call('CLUSTER', 'MEET', '127.0.0.1', port, busPorts[j])
    }
  }
}

/** Makes one node the replica of another, and waits until it receives its writes. */
async function replicate(admin: Redis, master: Redis): Promise<void> {
  await admin.cluster('REPLICATE', await master.cluster('MYID'))
  await followed(admin, master)
}

/** Waits until every node sees all slots served by all masters. */
async function agreed(admins: readonly Redis[]): Promise<void> {
  const deadline = performance.now() + agreesWithinMs
  for (const admin of admins) {
    let info = ''
    while (!(info.includes('cluster_state:ok') && info.includes(`cluster_size:${masters}`))) {
      if (performance.now() > deadline) throw new Error(`the cluster did not form:\n${info}`)
      await delay(20)
      info = String(await admin.call('CLUSTER', 'INFO'))
    }
  }
}
