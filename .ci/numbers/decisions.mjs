import { countsOverRedis } from '../../packages/benchmarks/dist/guard/over-redis.js'
import { startContender } from '../../packages/benchmarks/dist/processes/contender-process.js'
import { ours } from '../../packages/benchmarks/dist/redis/contenders/sluice.js'
import { spreadOf } from '../../packages/benchmarks/dist/rounds.js'
import { startRedis } from '../../packages/test-kit/dist/redis/servers.js'

const footprint = new URL('../../packages/benchmarks/dist/footprint/process.js', import.meta.url)

/** The commands and bytes of a decision over Redis, and the bytes of a key in memory, by the algorithm. They do not depend on the speed of the machine. */
export async function decisionCosts() {
  const redis = await startRedis()
  const found = {}
  for (const contender of ours) {
    const counts = await countsOverRedis(redis.client(), redis.client(), contender)
    const costs = { ...counts, 'bytes of a key in memory': await bytesInMemory(contender.name) }
    for (const [what, count] of Object.entries(costs)) {
      found[what] = { ...found[what], [contender.name]: Number(count.toPrecision(3)) }
    }
  }
  await redis.stop()
  return found
}

async function bytesInMemory(contender) {
  const node = ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64']
  const program = startContender(footprint, { args: [contender, '100000'], node })
  const readings = []
  while (readings.length < 5) readings.push(await program.measure('keep'))
  await program.stop()
  return spreadOf(readings.map(({ bytesPerKey }) => bytesPerKey)).median
}
