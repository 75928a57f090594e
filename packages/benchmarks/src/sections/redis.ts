import { startRedis, type RedisServer } from '@sluice/conformance/servers'
import type { Redis } from 'ioredis'
import { conditionsOf, sentenceOf } from '../conditions.js'
import { count } from '../markdown.js'
import { inTurns, type Readings } from '../processes/in-turns.js'
import { contenders } from '../redis/contenders.js'
import { bytesPerEvent, bytesPerKey } from '../redis/memory-usage.js'
import {
  costsOf,
  costTable,
  kinds,
  memoryTable,
  ratiosOfRedis,
  speedTable,
  type Kind,
  type Memory,
} from '../redis/tables.js'
import { trial } from '../redis/trial.js'
import type { Section } from '../section.js'

const program = new URL('../redis/process.js', import.meta.url)

/** What a decision takes over Redis, of this side and of the other. */
export const redis: Section = {
  name: 'redis',
  page: 'README.md',
  async run(say, quick) {
    const server = await startRedis()
    try {
      const admin = server.client()
      const client = server.client()
      const rounds = quick ? 2 : 11
      const events = 10_000
      const memory: Memory[] = []
      for (const contender of contenders) {
        say(`memory of ${contender.name}`)
        memory.push({ name: contender.name, ...(await bytesPerKey(admin, client, contender)) })
      }
      const log = await bytesPerEvent(admin, client, events)
      const readings = await traffic(server, admin, rounds, quick ? 5000 : 40_000, say)
      const rows = memory.map(({ name, own, integer }) => ({
        name,
        bytesPerKey: own,
        bytesOfInteger: integer,
        ...Object.fromEntries(kinds.map((kind) => [kind, costsOf(readings, name, kind)])),
      }))
      const conditions = await conditionsOf(admin)
      return {
        results: { conditions, rounds, contenders: rows, bytesPerLogEvent: { events, ...log } },
        ratios: ratiosOfRedis(readings, memory),
        table: [
          `${sentenceOf(conditions)} ${rounds} rounds, medians of ratios to \`INCR\`.`,
          '',
          'Decisions per second ÷ `INCR`:',
          '',
          speedTable(readings),
          '',
          'One decision of 512 in flight on spread keys:',
          '',
          costTable(readings),
          '',
          'Bytes that a key takes after one decision (`MEMORY USAGE`), and an integer with a time to live under the same name:',
          '',
          memoryTable(memory),
          '',
          `A log of ${events.toLocaleString('en')} events takes ${count(log.ours)} bytes for each of them in Sluice (\`slidingLog\`), and ${count(log.textbook)} in a sorted set.`,
        ].join('\n'),
      }
    } finally {
      await server.stop()
    }
  },
}

async function traffic(
  server: RedisServer,
  admin: Redis,
  rounds: number,
  decisions: number,
  say: (progress: string) => void,
): Promise<Readings> {
  const amounts: Record<Kind, number> = {
    spread: decisions,
    hot: decisions,
    alone: decisions / 10,
  }
  return inTurns(
    contenders.map(({ name }) => ({ name, program, args: [name, `${server.port}`] })),
    {
      rounds,
      say,
      async measure(process) {
        await admin.flushall()
        const found: [string, number][] = []
        for (const kind of kinds) {
          const reading = await trial(admin, process, `${kind} ${amounts[kind]}`, amounts[kind])
          for (const [figure, value] of Object.entries(reading)) {
            found.push([`${kind} ${figure}`, value])
          }
        }
        return Object.fromEntries(found)
      },
    },
  )
}
