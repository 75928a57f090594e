import { startRedis } from '@sluice/conformance/servers'
import type { Redis } from 'ioredis'
import { keyName } from '../algorithms/contender.js'
import { figuresOf, type Group } from '../algorithms/figures.js'
import { families, type Family } from '../algorithms/families.js'
import { tableOf, type Results } from '../algorithms/table.js'
import { floor } from '../algorithms/textbook.js'
import { tryAll, type AllCosts, type Settings } from '../algorithms/trial.js'
import { conditionsOf } from '../conditions.js'
import { memoryOf } from '../redis-usage.js'
import type { Section } from '../section.js'

const long: Settings = { keys: 1000, rounds: 20 }
const brief: Settings = { keys: 200, rounds: 2 }

/** The cost of each algorithm in Redis, compared with the textbook methods. */
export const algorithms: Section = {
  name: 'algorithms',
  page: 'README.md',
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
  const contenders = families.flatMap(({ textbook = [], ours }) => [textbook, ours].flat())
  const costs = await tryAll(admin, client, [floor, ...contenders], settings, say)
  return {
    conditions,
    settings,
    integerBytes,
    floor: figuresOf(floor, costs, floor),
    groups: families.map((family) => groupOf(family, costs)),
  }
}

function groupOf({ textbook, ours }: Family, costs: AllCosts): Group {
  const figures = ours.map((contender) => figuresOf(contender, costs, floor, textbook))
  if (textbook === undefined) return { ours: figures }
  return { textbook: figuresOf(textbook, costs, floor), ours: figures }
}

async function bytesOfAnInteger(admin: Redis): Promise<number> {
  const name = keyName('api00', 'user:12345')
  await admin.set(name, 1, 'PX', 60_000)
  const bytes = await memoryOf(admin, name)
  await admin.del(name)
  return bytes
}
