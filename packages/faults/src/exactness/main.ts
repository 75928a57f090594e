// Eight processes make many decisions for a few hot keys and a long tail of others, for each algorithm, on one Redis, on a Cluster, on one PostgreSQL
// and on one file of SQLite. Exactly as many units are allowed as the limit says: `npm run exactness -- [decisions] [--minutes 10]
// [--policy NAME]`. The decisions are divided between the algorithms. A run that cannot make all of them in its time fails.
import process from 'node:process'
import { parseArgs } from 'node:util'
import { startPostgres } from '@sluice/test-kit/postgres'
import { startCluster, startRedis } from '@sluice/test-kit/servers'
import { temporaryFile } from '@sluice/test-kit/sqlite'
import { play } from './play.js'
import { pairs, policies } from './policies.js'
import type { Shared } from './servers.js'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string', default: '10' }, policy: { type: 'string' } },
})
const [decisions = 1_000_000] = positionals.map(Number)
const chosen = Object.keys(policies).filter((name) => name === (values.policy ?? name))
if (chosen.length === 0) {
  const known = Object.keys(policies).join(', ')
  throw new Error(`There is no policy ${values.policy}. The policies are: ${known}`)
}
const until = Date.now() + Number(values.minutes) * 60_000
const processes = 8
const single = await startRedis()
const cluster = await startCluster()
const postgres = await startPostgres()
const sqlite = temporaryFile()
const servers: readonly Shared[] = [
  { kind: 'Redis', ports: [single.port] },
  { kind: 'Cluster', ports: cluster.nodes.map(({ port }) => port) },
  { kind: 'PostgreSQL', url: postgres.url },
  { kind: 'SQLite', file: sqlite.file },
]
const variants = servers.flatMap((server) =>
  chosen
    .filter((policy) => policy !== pairs || server.kind !== 'Cluster')
    .map((policy) => ({ server, policy })),
)
let made = 0
let inexact = 0
try {
  for (const [i, { server, policy }] of variants.entries()) {
    const share = Math.ceil(decisions / variants.length)
    const left = variants.length - i
    // The time that is left is divided as well, so that each variant has its share on a slow machine.
    const ends = Date.now() + (until - Date.now()) / left
    const task = { name: `exact ${policy}`, policy, server, until: ends }
    const figures = await play(processes, task, share)
    const { keys, allowed, expected, wrong, local, withoutServer, seconds } = figures
    const isExact = wrong === 0 && withoutServer === 0 && allowed === expected
    made += figures.decisions
    if (!isExact) inexact++
    const verdict = figures.decisions === 0 ? 'NOT RUN' : isExact ? 'exact' : 'WRONG'
    process.stdout.write(
      `${server.kind.padEnd(10)}  ${policy.padEnd(26)} ${figures.decisions} decisions, ${keys} keys, allowed ${allowed} of ${expected}, ` +
        `${wrong} keys wrong, ${local} denied by the deny cache, ${withoutServer} decided without the server, ${seconds.toFixed(1)} s  ${verdict}\n`,
    )
  }
} finally {
  await single.stop()
  await cluster.stop()
  await postgres.stop()
  sqlite.remove()
}
const isComplete = made >= decisions
if (inexact > 0 || !isComplete) process.exitCode = 1
process.stdout.write(
  `${made} of ${decisions} decisions${isComplete ? '' : `, the others did not fit into ${values.minutes} minutes`}. ` +
    `${inexact === 0 ? 'All are exact' : `${inexact} of ${variants.length} runs are WRONG`}.\n`,
)
