import type { SupportedClient } from '@sluice/core'

/** The members of a Cluster client of ioredis that lead to its nodes. */
interface IoredisCluster {
  nodes(role: 'master'): readonly SupportedClient[]
}

/** The members of a Cluster client of node-redis that lead to its nodes. */
interface NodeRedisCluster<N> {
  readonly masters: readonly N[]
  nodeClient(node: N): SupportedClient | Promise<SupportedClient>
}

/** A client of each master, in an order that stays the same while the masters do. The client itself if it is not of a Cluster, or has no such members. */
export async function mastersOf(client: SupportedClient): Promise<readonly SupportedClient[]> {
  if (isIoredisCluster(client)) return client.nodes('master').toSorted(byAddress)
  if (isNodeRedisCluster(client)) {
    const nodes = client.masters.toSorted(byAddress)
    return Promise.all(nodes.map(async (node) => client.nodeClient(node)))
  }
  return [client]
}

function isIoredisCluster(client: object): client is SupportedClient & IoredisCluster {
  return 'isCluster' in client && client.isCluster === true && 'nodes' in client
}

function isNodeRedisCluster(client: object): client is SupportedClient & NodeRedisCluster<object> {
  return 'masters' in client && Array.isArray(client.masters) && 'nodeClient' in client
}

function byAddress(a: object, b: object): number {
  const [first, second] = [addressOf(a), addressOf(b)]
  return first < second ? -1 : first > second ? 1 : 0
}

function addressOf(node: object): string {
  if ('address' in node) return String(node.address)
  const { options } = node as {
    readonly options?: { readonly host?: string; readonly port?: number }
  }
  return `${options?.host}:${options?.port}`
}

/** The prefix that a client of ioredis adds to the names of keys, but neither to a pattern nor to its results. */
export function keyPrefixOf(client: object): string {
  const options: unknown = 'options' in client ? client.options : undefined
  if (typeof options !== 'object' || options === null || !('keyPrefix' in options)) return ''
  return typeof options.keyPrefix === 'string' ? options.keyPrefix : ''
}
