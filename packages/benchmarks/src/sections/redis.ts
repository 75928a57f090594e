import { startRedis, type RedisServer } from '@sluice/test-kit/servers'
import type { Redis } from 'ioredis'
import { conditionsOf, sentenceOf } from '../conditions.js'
import { count } from '../markdown.js'
import { inTurns, type Readings } from '../processes/in-turns.js'
import { contenderCalled, contenders } from '../redis/contenders/index.js'
import {
  ahead,
  costLoads,
  hotLoad,
  labelOf,
  loads,
  threePolicies,
  type Load,
} from '../redis/loads.js'
import { bytesPerEvent, bytesPerKey } from '../redis/memory-usage.js'
import { ratiosOfRedis } from '../redis/ratios.js'
import {
  aheadCostsOf,
  aheadTable,
  costsOf,
  costTable,
  latencyTable,
  memoryTable,
  speedTable,
  threePoliciesTable,
  wireTable,
  type Memory,
} from '../redis/tables.js'
import { trial } from '../redis/trial.js'
import type { Section } from '../section.js'

const program = new URL('../redis/process.js', import.meta.url)

/** The cost of a decision over Redis, for the client and for the server. */
export const redis: Section = {
  name: 'redis',
  minutes: 5,
  async run(say, quick) {
    const server = await startRedis()
    try {
      const admin = server.client()
      const client = server.client()
      const rounds = quick ? 2 : 7
      const events = 10_000
      const memory: Memory[] = []
      for (const contender of contenders) {
        say(`memory of ${contender.name}`)
        memory.push({ name: contender.name, ...(await bytesPerKey(admin, client, contender)) })
      }
      const eventBytes = await bytesPerEvent(admin, client, events)
      const readings = await traffic(server, admin, rounds, quick ? 10 : 1, say)
      const aheadCosts = aheadCostsOf(readings)
      const conditions = await conditionsOf(admin)
      return {
        results: {
          conditions,
          rounds,
          contenders: [...readings.keys()].map((name) => ({
            name,
            loads: costsOf(readings, name),
          })),
          ahead: aheadCosts,
          bytesPerKey: memory,
          bytesPerLogEvent: { events, ours: eventBytes },
        },
        ratios: ratiosOfRedis(readings, memory),
        table: [
          `${sentenceOf(conditions)} ${rounds} rounds, medians of ratios to \`INCR\`.`,
          '',
          'Decisions per second ÷ `INCR`, by the number of decisions in flight (more is better):',
          '',
          speedTable(readings),
          '',
          'The latency of a decision at the 99th percentile, with 1 and 64 in flight (less is better):',
          '',
          latencyTable(readings),
          '',
          'The CPU time of a decision ÷ `INCR`, of Redis and of the client, with 1, 64 and 512 in flight (less is better):',
          '',
          costTable(readings),
          '',
          'The commands and bytes of a decision, with 512 in flight on spread keys:',
          '',
          wireTable(readings),
          '',
          'Three policies in one limiter ÷ one policy, with 1, 64 and 512 in flight (less is better):',
          '',
          threePoliciesTable(readings),
          '',
          `One key with ${hotLoad.inFlight} decisions in flight, without and with \`spendAhead\`; the latency at the 99th percentile, and the CPU time and the commands of Redis for a decision:`,
          '',
          aheadTable(aheadCosts),
          '',
          'The bytes of a key after one decision (`MEMORY USAGE`), and those of an integer with a time to live under the same name:',
          '',
          memoryTable(memory),
          '',
          `A log of ${events.toLocaleString('en')} events (\`slidingLog\`) takes ${count(eventBytes)} bytes for each event.`,
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
  divisor: number,
  say: (progress: string) => void,
): Promise<Readings> {
  const variants: readonly (readonly [string, 'openThree' | 'openAhead'])[] = [
    [threePolicies, 'openThree'],
    [ahead, 'openAhead'],
  ]
  const port = `${server.port}`
  const runs = [
    ...contenders.map(({ name }) => ({ name: labelOf(name), program, args: [name, port] })),
    ...variants.flatMap(([variant, opens]) =>
      contenders
        .filter((contender) => contender[opens] !== undefined)
        .map(({ name }) => ({
          name: labelOf(name, variant),
          program,
          args: [name, port, variant],
        })),
    ),
  ]
  return inTurns(runs, {
    rounds,
    say,
    async measure(process, { args: [name, , variant] = [] }) {
      await admin.flushall()
      const asked = loadsOf(name, variant)
      const found: [string, number][] = []
      for (const { name, decisions } of asked) {
        const amount = decisions / divisor
        const reading = await trial(admin, process, `${name} of ${amount}`, amount)
        for (const [figure, value] of Object.entries(reading)) {
          found.push([`${name} ${figure}`, value])
        }
      }
      return Object.fromEntries(found)
    },
  })
}

function loadsOf(name: string, variant: string | undefined): readonly Load[] {
  if (variant === threePolicies) return loads.filter(isCostLoad)
  if (variant === ahead) return [hotLoad]
  return contenderCalled(name).openAhead === undefined ? loads : [...loads, hotLoad]
}

function isCostLoad({ name }: Load): boolean {
  return costLoads.some((load) => load === name)
}
