import { startRedis } from '@sluice/test-kit/servers'
import { conditionsOf, sentenceOf } from '../conditions.js'
import { groupOf, groupWithout, mediansOf, variantOf, type Group } from '../figures.js'
import { underLoads, type Load } from '../loads.js'
import {
  count,
  groupsTable,
  groupTable,
  inUnits,
  medianCell,
  multipleCell,
  nameOf,
  ratio,
  spreadCell,
  table,
  type Column,
} from '../markdown.js'
import { called } from '../processes/called.js'
import { inTurns, type Entrant } from '../processes/in-turns.js'
import type { Reading } from '../processes/reading.js'
import { compared } from '../ratios.js'
import { contenders } from '../redis/contenders/index.js'
import { incr } from '../redis/contenders/yardstick.js'
import { ahead, costLoads, hotLoad, loads, threePolicies } from '../redis/loads.js'
import { bytesPerEvent, bytesPerKey } from '../redis/memory-usage.js'
import { costOf } from '../redis-usage.js'
import type { Results } from '../results.js'
import type { Section } from '../section.js'

const program = new URL('../redis/process.js', import.meta.url)

/** The cost of a decision over Redis, for the client and for the server. */
export const redis: Section = {
  name: 'redis',
  minutes: 5,
  async measure(say, quick) {
    const server = await startRedis()
    try {
      const admin = server.client()
      const client = server.client()
      const rounds = quick ? 2 : 7
      const events = 10_000
      const bytes = new Map<string, readonly Reading[]>()
      for (const contender of contenders) {
        say(`memory of ${contender.name}`)
        bytes.set(contender.name, [await bytesPerKey(admin, client, contender)])
      }
      const eventBytes = await bytesPerEvent(admin, client, events)
      const readings = await inTurns(entrantsAt(`${server.port}`), {
        rounds,
        say,
        async measure(process, { args: [name, , variant] = [] }) {
          await admin.flushall()
          return underLoads(
            process,
            loadsOf(name, variant),
            quick ? 10 : 1,
            async (work, decisions) => costOf(admin, decisions, work),
          )
        },
      })
      return {
        conditions: await conditionsOf(admin),
        amounts: { rounds, events, eventBytes },
        groups: {
          'one policy': groupWithout(readings, [threePolicies, ahead]),
          [threePolicies]: variantOf(readings, threePolicies),
          [ahead]: variantOf(readings, ahead),
          bytes: groupOf(bytes),
        },
      }
    } finally {
      await server.stop()
    }
  },
  page({ conditions, amounts: { rounds, events, eventBytes }, groups }) {
    const { 'one policy': one, 'three policies': three, [ahead]: hot, bytes } = groups
    return [
      `${sentenceOf(conditions)} ${rounds} rounds, medians of ratios to \`INCR\`.`,
      'Decisions per second ÷ `INCR`, by the number of decisions in flight (more is better):',
      groupTable(
        loads.map(({ name, title }) => [title, multipleCell(`${name} perSecond`, inUnits('/s'))]),
        one,
      ),
      'The latency of a decision at the 99th percentile, with 1 and 64 in flight (less is better):',
      groupTable(costLoads.slice(0, 2).flatMap(latencyColumns), one),
      'The CPU time of a decision ÷ `INCR`, of Redis and of the client, with 1, 64 and 512 in flight (less is better):',
      groupTable(
        sides.flatMap(({ side, figure }) =>
          costLoads.map(({ name, title }): Column => {
            return [`${side}, ${title}`, multipleCell(`${name} ${figure}`, inUnits(' µs'))]
          }),
        ),
        one,
      ),
      'The commands and bytes of a decision, with 512 in flight on spread keys:',
      groupTable(
        [
          ['commands', medianCell('512 in flight commands', (commands) => commands.toFixed(3))],
          ['bytes in', medianCell('512 in flight bytesIn', count)],
          ['bytes out', medianCell('512 in flight bytesOut', count)],
        ],
        one,
      ),
      'Three policies in one limiter ÷ one policy, with 1, 64 and 512 in flight (less is better):',
      groupTable(threeColumns, three),
      ...aheadPart(one, hot),
      'The bytes of a key after one decision (`MEMORY USAGE`), and those of an integer with a time to live under the same name:',
      groupTable(
        [
          ['bytes', medianCell('own', count)],
          ['integer', medianCell('integer', count)],
          ['÷ integer', ({ own, integer }) => ratio(own.median / integer.median)],
        ],
        bytes,
      ),
      `A log of ${events.toLocaleString('en')} events (\`slidingLog\`) takes ${count(eventBytes)} bytes for each event.`,
    ]
  },
  ratios({ groups: { 'one policy': one, 'three policies': three, bytes } }) {
    return [
      ...loads.map(({ name }) =>
        compared(
          `decisions per second over Redis, ${name} ÷ \`INCR\``,
          'more',
          mediansOf(one, `${name} perSecond ÷`),
        ),
      ),
      compared(
        'p99 latency over Redis, 64 in flight ÷ `INCR`',
        'less',
        mediansOf(one, '64 in flight p99Microseconds ÷'),
      ),
      ...sides.flatMap(({ side, figure }) =>
        costLoads.map(({ name }) =>
          compared(
            `${side} CPU for a decision, ${name} ÷ \`INCR\``,
            'less',
            mediansOf(one, `${name} ${figure} ÷`),
          ),
        ),
      ),
      compared('Redis CPU for a decision, 64 in flight, three policies ÷ one', 'less', [
        [incr.name, 1],
        ...mediansOf(three, '64 in flight redisMicroseconds ÷'),
      ]),
      compared(
        'memory per key in Redis ÷ an integer',
        'less',
        Object.entries(bytes).map(([name, { own, integer }]) => [
          name,
          own.median / integer.median,
        ]),
      ),
    ]
  },
}

/** The CPU time of Redis for a decision ÷ `INCR`, by the number of decisions in flight: a table of another page. */
export function redisLoadTable({ groups: { 'one policy': one } }: Results): string {
  const own = Object.keys(one).filter((name) => /^Sluice, \w+$/.test(name))
  return table(
    ['decisions in flight', ...own.map(nameOf)],
    costLoads.map((load) => [
      load.title,
      ...own.map((name) => ratio(one[name][`${load.name} redisMicroseconds ÷`].median)),
    ]),
  )
}

function entrantsAt(port: string): readonly Entrant[] {
  const entrantOf = (name: string, ...variant: readonly string[]): Entrant => ({
    name: [name, ...variant].join(', '),
    program,
    args: [name, port, ...variant],
  })
  const withThree = contenders.filter(({ openThree }) => openThree !== undefined)
  const withAhead = contenders.filter(({ openAhead }) => openAhead !== undefined)
  return [
    ...contenders.map(({ name }) => entrantOf(name)),
    ...withThree.map(({ name }) => entrantOf(name, threePolicies)),
    ...withAhead.map(({ name }) => entrantOf(name, ahead)),
  ]
}

function loadsOf(name: string, variant: string | undefined): readonly Load[] {
  if (variant === threePolicies) return costLoads
  if (variant === ahead) return [hotLoad]
  return called(contenders, name).openAhead === undefined ? loads : [...loads, hotLoad]
}

const sides = [
  { side: 'Redis', figure: 'redisMicroseconds' },
  { side: 'client', figure: 'clientMicroseconds' },
]

function latencyColumns({ name, title }: Load): readonly Column[] {
  const figure = `${name} p99Microseconds`
  return [
    [`${title}, µs`, medianCell(figure, (latency) => latency.toFixed(0))],
    [`${title} ÷ \`INCR\``, multipleCell(figure)],
  ]
}

const threeColumns: readonly Column[] = [
  ...costLoads.map(({ name, title }): Column => {
    return [`time, ${title}`, spreadCell(`${name} perSecond ÷`, true)]
  }),
  ...costLoads.map(({ name, title }): Column => {
    return [`Redis CPU, ${title}`, spreadCell(`${name} redisMicroseconds ÷`)]
  }),
]

/** The table of `spendAhead`, if it was measured. */
function aheadPart(without: Group, hot: Group | undefined): readonly string[] {
  if (hot === undefined) return []
  const { name, inFlight } = hotLoad
  const columns: readonly Column[] = [
    [
      'decisions per second',
      medianCell(`${name} perSecond`, (all) => `${(all / 1000).toFixed(0)} k`),
    ],
    ['÷ without', spreadCell(`${name} perSecond ÷`)],
    ['p99, µs', medianCell(`${name} p99Microseconds`, count)],
    ['Redis CPU, µs', medianCell(`${name} redisMicroseconds`)],
    ['commands', medianCell(`${name} commands`, (each) => each.toPrecision(1))],
  ]
  return [
    `One key with ${inFlight} decisions in flight, without and with \`spendAhead\`; the latency at the 99th percentile, and the CPU time and the commands of Redis for a decision:`,
    groupsTable(columns, { without, [ahead]: hot }),
  ]
}
