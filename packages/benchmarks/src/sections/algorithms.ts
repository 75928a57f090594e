import { startRedis } from '@sluice/test-kit/servers'
import type { Redis } from 'ioredis'
import { keyName } from '../algorithms/contender.js'
import { figuresOf, type Figures, type Group } from '../algorithms/figures.js'
import { families, type Family } from '../algorithms/families.js'
import { tableOf, type Results } from '../algorithms/table.js'
import { clockAndState, floor } from '../algorithms/textbook.js'
import { tryAll, type AllCosts, type Settings } from '../algorithms/trial.js'
import { conditionsOf } from '../conditions.js'
import { compared, type Comparison } from '../ratios.js'
import { memoryOf } from '../redis-usage.js'
import type { Section } from '../section.js'

const long: Settings = { keys: 1000, rounds: 20 }
const brief: Settings = { keys: 200, rounds: 2 }

/** The cost of each algorithm in Redis, compared with the textbook methods. */
export const algorithms: Section = {
  name: 'algorithms',
  page: 'README.md',
  minutes: 1,
  async run(say, quick) {
    const server = await startRedis()
    try {
      const results = await measure(server.client(), server.client(), quick ? brief : long, say)
      return { results, ratios: ratiosOfScripts(results), table: tableOf(results) }
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

/** The scripts of these policies ÷ the least script, and the textbook methods for the same purpose ÷ that. */
function ratiosOfScripts({ groups }: Results): readonly Comparison[] {
  return groups.flatMap(({ textbook, ours }) =>
    ours
      .filter(({ name }) => textbook !== undefined && comparedScripts.has(name))
      .map((figures) =>
        compared(
          `Redis time of a script, ${figures.name} ÷ \`TIME\`, \`GET\`, \`SET PX\``,
          'less',
          [
            [clockAndState.name, 1],
            ['Sluice', scriptTimeOf(figures)],
            [textbook?.name ?? '', textbook === undefined ? 0 : scriptTimeOf(textbook)],
          ],
        ),
      ),
  )
}

const comparedScripts: ReadonlySet<string> = new Set([
  'fixedWindow',
  'slidingWindow',
  'gcra',
  'slidingWindow, three policies',
])

function scriptTimeOf({ comparedWithScript }: Figures): number {
  return comparedWithScript.redisMicroseconds.median
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
