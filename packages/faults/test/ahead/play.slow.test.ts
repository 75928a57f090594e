import { startCluster, startRedis } from '@sluice/test-kit/servers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { play, type Run } from '../../src/ahead/play.js'

// The long run has every policy, up to eight processes and a million requests: node packages/faults/dist/ahead/main.js

let servers: Record<'Redis' | 'Cluster', { ports: number[]; pids: number[]; stop(): Promise<void> }>
beforeAll(async () => {
  const single = await startRedis()
  const cluster = await startCluster()
  servers = {
    Redis: { ports: [single.port], pids: [single.pid], stop: single.stop },
    Cluster: {
      ports: cluster.nodes.map(({ port }) => port),
      pids: cluster.nodes.map(({ pid }) => pid),
      stop: cluster.stop,
    },
  }
})
afterAll(async () => {
  await Promise.all(Object.values(servers).map(({ stop }) => stop()))
})

test.each<[Run['server']['kind'] & ('Redis' | 'Cluster'), string, number]>([
  ['Redis', 'gcra', 4],
  ['Redis', 'gcra and fixedWindow', 2],
  ['Cluster', 'fixedWindow', 3],
])(
  '%s, %s: what %i processes spend ahead, one by one through the exact algorithm, is never refused',
  async (kind, policy, processes) => {
    const { ports, pids } = servers[kind]
    const figures = await play({ policy, server: { kind, ports }, processes, seconds: 5, pids })
    expect([figures.refused, figures.killed]).toEqual([0, Math.ceil(processes / 2)])
    expect(figures.spent).toBeGreaterThan(0)
  },
)
