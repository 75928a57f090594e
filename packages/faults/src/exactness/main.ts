// Eight processes make many decisions for a few hot keys and a long tail of others, for each algorithm, on one Redis and on a Cluster.
// Exactly as many units are allowed as the limit says. The argument is the number of decisions for each algorithm.
import process from 'node:process'
import { startCluster, startRedis } from '@sluice/conformance/servers'
import { play } from './play.js'
import { policies } from './policies.js'

const decisions = Number(process.argv[2] ?? 1_000_000)
const processes = 8

const single = await startRedis()
const cluster = await startCluster()
try {
  for (const isCluster of [false, true]) {
    const ports = isCluster ? cluster.nodes.map(({ port }) => port) : [single.port]
    for (const policy of Object.keys(policies)) {
      const name = `exact ${policy}`
      const figures = await play(processes, { name, policy, ports, isCluster }, decisions)
      const { keys, allowed, expected, wrong, local, withoutRedis, seconds } = figures
      const isExact = wrong === 0 && withoutRedis === 0 && allowed === expected
      if (!isExact) process.exitCode = 1
      process.stdout.write(
        `${isCluster ? 'Cluster' : 'Redis  '}  ${policy.padEnd(26)} ${figures.decisions} decisions, ${keys} keys, allowed ${allowed} of ${expected}, ` +
          `${wrong} keys wrong, ${local} denied by the deny cache, ${withoutRedis} decided without Redis, ${seconds.toFixed(1)} s  ${isExact ? 'exact' : 'WRONG'}\n`,
      )
    }
  }
} finally {
  await single.stop()
  await cluster.stop()
}
