import { startRedis } from '@sluice/test-kit/servers'
import type { Redis } from 'ioredis'
import { keyName } from '../algorithms/contender.js'
import { contenders } from '../algorithms/contenders.js'
import { tryAll } from '../algorithms/trial.js'
import { clockAndState, floor } from '../algorithms/yardsticks.js'
import { conditionsOf, sentenceOf } from '../conditions.js'
import { groupOf, joined, type Figures } from '../figures.js'
import { count, medianCell, ratio, table, type Column } from '../markdown.js'
import { memoryOf } from '../redis-usage.js'
import type { Section } from '../section.js'

const yardsticks = [floor, clockAndState]
const all = [...yardsticks, ...contenders]

/** The cost of each algorithm in Redis. */
export const algorithms: Section = {
  name: 'algorithms',
  minutes: 1,
  async measure(say, quick) {
    const server = await startRedis()
    try {
      const admin = server.client()
      const keys = quick ? 200 : 1000
      const rounds = quick ? 2 : 20
      const integerBytes = await bytesOfAnInteger(admin)
      const readings = await tryAll(admin, server.client(), all, { keys, rounds }, say)
      return {
        conditions: await conditionsOf(admin),
        amounts: { keys, rounds, integerBytes },
        groups: {
          toFloor: groupOf(readings, () => readings.get(floor.name)),
          toScript: groupOf(readings, () => readings.get(clockAndState.name)),
        },
      }
    } finally {
      await server.stop()
    }
  },
  page({ conditions, amounts: { keys, rounds, integerBytes }, groups }) {
    const columns = columnsTo(integerBytes)
    const figures = joined(groups)
    const integer = [`${integerBytes}`, '1.00', ...columns.slice(2).map(() => '')]
    return [
      `${sentenceOf(conditions)} ${keys} keys, ${rounds} rounds of a decision for each, medians.`,
      table(
        ['', 'a key holds', ...columns.map(([title]) => title)],
        [
          ['`SET key 1 PX`', 'an integer', ...integer],
          ...all.map((one) => {
            const name = yardsticks.includes(one) ? one.name : `**${one.name}**`
            const cells = columns.map(([, cell]) => cell(figures[one.name], false))
            return [name, one.fill.holds].concat(cells)
          }),
        ],
        2,
      ),
    ]
  },
}

function columnsTo(integerBytes: number): readonly Column[] {
  return [
    ['bytes', medianCell('toFloor bytesPerKey', count)],
    ['÷ integer', medianCell('toFloor bytesPerKey', (bytes) => ratio(bytes / integerBytes))],
    ['µs', medianCell('toFloor microseconds')],
    ['÷ `INCR` + `PEXPIRE`', medianCell('toFloor microseconds ÷')],
    ['÷ `TIME`, `GET`, `SET`', medianCell('toScript microseconds ÷')],
    ['commands', commandsOf],
    ['bytes in', medianCell('toFloor bytesIn', count)],
    ['bytes out', medianCell('toFloor bytesOut', count)],
  ]
}

/** The commands of the client, and those of its scripts. */
function commandsOf(figures: Figures): string {
  const sent = count(figures['toFloor commandsSent'].median)
  const within = figures['toFloor commandsWithin'].median
  return within === 0 ? sent : `${sent} (${count(within)})`
}

/** The smallest possible state: an integer with a time to live. */
async function bytesOfAnInteger(admin: Redis): Promise<number> {
  const name = keyName('api00', 'user:12345')
  await admin.set(name, 1, 'PX', 60_000)
  const bytes = await memoryOf(admin, name)
  await admin.del(name)
  return bytes
}
