// Processes spend the units of one key ahead, on one Redis and on a Cluster, while some are killed and the server hangs. The requests that all of them allowed, replayed one by one
// through the exact algorithm, is never refused: `node packages/faults/dist/ahead/main.js [allowed requests] [--minutes 10]
// [--policy NAME]`
import process from 'node:process'
import { parseArgs } from 'node:util'
import { startCluster, startRedis } from '@sluice/test-kit/servers'
import { play } from './play.js'
import { replayed } from './policies.js'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string', default: '10' }, policy: { type: 'string' } },
})
const [wanted = 1_000_000] = positionals.map(Number)
const policies = Object.keys(replayed).filter((name) => name === (values.policy ?? name))
const single = await startRedis()
const cluster = await startCluster()
const servers = [
  { kind: 'Redis' as const, nodes: [single] },
  { kind: 'Cluster' as const, nodes: cluster.nodes },
]
const runs = servers.flatMap((server) => policies.map((policy) => ({ server, policy })))
/** Each policy is run with each number of processes. */
const numbersOfProcesses = [8, 3, 1, 5, 2, 4, 7]
const until = Date.now() + Number(values.minutes) * 60_000
let allowed = 0
let refused = 0
try {
  for (let i = 0; i < runs.length || (allowed < wanted && Date.now() < until); i++) {
    const { server, policy } = runs[i % runs.length]
    const { kind, nodes } = server
    const processes = numbersOfProcesses[i % numbersOfProcesses.length]
    const figures = await play({
      policy,
      server: { kind, ports: nodes.map(({ port }) => port) },
      processes,
      seconds: 20,
      pids: nodes.map(({ pid }) => pid),
    })
    allowed += figures.allowed
    refused += figures.refused
    const { killed, spent, lapsed, returned } = figures
    process.stdout.write(
      `${kind.padEnd(7)}  ${policy.padEnd(20)}  ${processes} processes, ${killed} killed: ${figures.allowed} allowed, ` +
        `${figures.refused} refused by the replay; the others spent ${spent} ahead, ${returned} were given back, ${lapsed} lapsed\n`,
    )
  }
} finally {
  await single.stop()
  await cluster.stop()
}
if (refused > 0 || allowed < wanted) process.exitCode = 1
process.stdout.write(
  `${allowed} of ${wanted} requests allowed, ${refused} refused by the replay.\n`,
)
