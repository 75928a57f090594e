import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Cluster, type Redis } from 'ioredis'
import { startRedis, type RedisServer } from './redis-server.js'

/** A real Redis Cluster of three masters on the loopback, with all slots between them and no replicas. */
export interface RedisCluster {
  readonly nodes: readonly RedisServer[]
  /** A connection to each node, for what a test looks up there. */
  readonly admins: readonly Redis[]
  /** A new client of the whole, which `stop` closes. */
  client(): Cluster
  stop(): Promise<void>
}

const masters = 3
const slots = 16_384
const agreesWithinMs = 20_000

/** A new node is not trusted before this time has passed: short while they meet, then so long that a busy machine loses none. */
const trialMs = 500
const patienceMs = 60_000

/**
 * Starts the nodes, gives each its share of the slots, and waits until all of them say that the cluster is well. It takes Redis 7, where
 * the port by which nodes talk to each other can be chosen.
 *
 * @example
 * let cluster: RedisCluster
 * beforeAll(async () => { cluster = await startCluster() })
 * afterAll(() => cluster.stop())
 */
export async function startCluster(): Promise<RedisCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'redis-cluster-'))
  const nodes: RedisServer[] = []
  const clients = new Set<Cluster>()

  async function stop(): Promise<void> {
    for (const client of clients) client.disconnect()
    await Promise.all(nodes.map(async (node) => node.stop()))
    await rm(folder, { recursive: true, force: true })
  }

  try {
    const busPorts = await freePorts(masters)
    for (const [i, busPort] of busPorts.entries()) nodes.push(await startNode(folder, i, busPort))
    const admins = nodes.map((node) => node.client())
    await introduce(admins, nodes, busPorts)
    await agreed(admins)
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

/** A node is what `startRedis` starts where `REDIS_SERVER` is this: the same server, and what makes it a part of a cluster. */
async function startNode(folder: string, i: number, busPort: number): Promise<RedisServer> {
  const given = process.env['REDIS_SERVER']
  const binary = join(folder, `node-${i}`)
  const settings = [
    `--cluster-enabled yes --cluster-port ${busPort} --cluster-node-timeout ${trialMs}`,
    `--dir '${folder}' --cluster-config-file nodes-${i}.conf`,
  ].join(' ')
  const program = `#!/bin/sh\nexec '${given ?? 'redis-server'}' "$@" ${settings}\n`
  await writeFile(binary, program, { mode: 0o755 })
  process.env['REDIS_SERVER'] = binary
  // It reads the variable before it first awaits anything, so nobody else sees this value.
  const starting = startRedis()
  if (given === undefined) delete process.env['REDIS_SERVER']
  else process.env['REDIS_SERVER'] = given
  return starting
}

/** Gives each node its slots and a configuration epoch of its own, and tells all of them where the others are. */
async function introduce(
  admins: readonly Redis[],
  nodes: readonly RedisServer[],
  busPorts: readonly number[],
): Promise<void> {
  for (const [i, admin] of admins.entries()) {
    const first = Math.ceil((i * slots) / masters)
    const last = Math.ceil(((i + 1) * slots) / masters) - 1
    await admin.call('CLUSTER', 'ADDSLOTSRANGE', first, last)
    await admin.call('CLUSTER', 'SET-CONFIG-EPOCH', i + 1)
    for (const [j, { port }] of nodes.entries()) {
      if (j !== i) await admin.call('CLUSTER', 'MEET', '127.0.0.1', port, busPorts[j])
    }
  }
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

/** All held open until the last is found, or two of them might be the same. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map(async (server) => once(server, 'listening')))
  const ports = servers.map((server) => {
    const address = server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  })
  await Promise.all(servers.map(async (server) => once(server.close(), 'close')))
  return ports
}
