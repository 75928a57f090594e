import { startRedis } from '@sluice/test-kit/servers'
import type { Redis } from 'ioredis'
import { keyName } from '../algorithms/contender.js'
import { contenders } from '../algorithms/contenders.js'
import { figuresOf } from '../algorithms/figures.js'
import { tableOf, type Results } from '../algorithms/table.js'
import { tryAll, type Settings } from '../algorithms/trial.js'
import { clockAndState, floor } from '../algorithms/yardsticks.js'
import { conditionsOf } from '../conditions.js'
import { memoryOf } from '../redis-usage.js'
import type { Section } from '../section.js'

const long: Settings = { keys: 1000, rounds: 20 }
const brief: Settings = { keys: 200, rounds: 2 }

/** The cost of each algorithm in Redis. */
export const algorithms: Section = {
  name: 'algorithms',
  minutes: 1,
  async run(say, quick) {
    const server = await startRedis()
    try {
      const results = await measure(server.client(), server.client(), quick ? brief : long, say)
      return { results, table: tableOf(results) }
    } finally {
      await server.stop()
    }
  },
}

async function measure(
  admin: Redis,
  client: Redis,
  settings: Settings,
  say: (progress: string) => void,
): Promise<Results> {
  const conditions = await conditionsOf(admin)
  const integerBytes = await bytesOfAnInteger(admin)
  const costs = await tryAll(admin, client, [...yardsticks, ...contenders], settings, say)
  return {
    conditions,
    settings,
    integerBytes,
    yardsticks: yardsticks.map((one) => figuresOf(one, costs)),
    contenders: contenders.map((one) => figuresOf(one, costs)),
  }
}

const yardsticks = [floor, clockAndState]

async function bytesOfAnInteger(admin: Redis): Promise<number> {
  const name = keyName('api00', 'user:12345')
  await admin.set(name, 1, 'PX', 60_000)
  const bytes = await memoryOf(admin, name)
  await admin.del(name)
  return bytes
}
