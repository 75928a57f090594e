import { startRedis } from '@sluice/test-kit/servers'
import { conditionsOf, sentenceOf } from '../conditions.js'
import { endingWith, groupOf, groupToFirst, mediansOf, type Group } from '../figures.js'
import { yardstick, type Contender } from '../http/contender.js'
import { frameworks } from '../http/contenders.js'
import { trial, type Load } from '../http/trial.js'
import { groupsTable, medianCell, multipleCell, ratio, spreadCell } from '../markdown.js'
import { startContender } from '../processes/contender-process.js'
import { bind, canBind } from '../processes/cores.js'
import { inTurns, type Entrant } from '../processes/in-turns.js'
import { compared } from '../ratios.js'
import type { Section } from '../section.js'

const server = new URL('../http/server-process.js', import.meta.url)
const load = new URL('../http/load-process.js', import.meta.url)

// The servers use one core, and everything else uses the other.
const serverCore = 0
const otherCore = 1

/** The CPU time that a limiter adds to a request, and the commands that it sends to Redis. */
export const http: Section = {
  name: 'http',
  minutes: 5,
  async measure(say, quick) {
    const redis = await startRedis()
    const clients = startContender(load, { core: otherCore })
    try {
      bind(redis.pid, otherCore)
      const admin = redis.client()
      const rounds = quick ? 2 : 6
      const requests = quick ? 1000 : 6000
      const seconds = quick ? 1 : 3
      const turns = async (entrants: readonly Entrant[], load: Load, own: Turns) =>
        inTurns(entrants, {
          ...own,
          say: (progress) => say(`${own.framework}, ${progress}`),
          measure: async (process) => trial(admin, process, clients, load),
        })
      const groups: Record<string, Group> = {}
      for (const [framework, contenders] of Object.entries(frameworks)) {
        const all = await contenders()
        const usual = await turns(
          all.flatMap((contender) => entrantsOf(contender, redis.port)),
          { connections: 64, addresses: 64, requests },
          { framework, rounds, warmUps: 4 },
        )
        const inMemory = new Map(endingWith(usual, ', memory'))
        const overRedis = new Map(endingWith(usual, ', redis'))
        groups[`${framework}, memory`] = groupToFirst(inMemory)
        groups[`${framework}, redis`] = groupOf(overRedis, (name) => inMemory.get(name), [
          'microseconds',
        ])
        groups[`${framework}, attacked`] = groupOf(
          await turns(
            attackedOf(all, redis.port),
            { connections: 64, addresses: 1, seconds },
            { framework, rounds: 1, warmUps: 1 },
          ),
        )
      }
      const apart = canBind ? 1 : 0
      const conditions = await conditionsOf(admin)
      return { conditions, amounts: { rounds, requests, seconds, apart }, groups }
    } finally {
      await clients.stop()
      await redis.stop()
    }
  },
  page({ conditions, amounts: { rounds, requests, seconds, apart }, groups }) {
    const cores = apart === 1 ? 'server and load on different cores' : 'server and load on any core'
    const named = (end: string) => Object.fromEntries(endingWith(Object.entries(groups), end))
    const inMicroseconds = (value: number) => `${value.toFixed(1)} µs`
    return [
      `${sentenceOf(conditions)} ${rounds} rounds of ${requests.toLocaleString('en')} requests, 64 connections, ${cores}; medians.`,
      groupsTable(
        [['server CPU per request ÷ by hand', multipleCell('microseconds', inMicroseconds)]],
        named(', memory'),
        ['', 'counts in memory'],
      ),
      'Over Redis:',
      groupsTable(
        [
          ['server CPU that a request adds, µs', spreadCell('microseconds −')],
          ['decisions per command', medianCell('commandsPerRequest', (each) => ratio(1 / each))],
        ],
        named(', redis'),
        ['', 'counts in Redis'],
      ),
      `Under attack, for ${seconds} seconds, by one address that may send ten requests a minute:`,
      groupsTable(
        [
          ['commands per second', medianCell('commandsPerSecond')],
          ['commands per request', medianCell('commandsPerRequest')],
        ],
        named(', attacked'),
      ),
    ]
  },
  ratios({ groups }) {
    const all = endingWith(Object.entries(groups), ', memory')
    // The commands to Redis are similar for all frameworks, so only the first one has these rows.
    const [[first]] = all
    const overRedis = (work: string, group: string, figure: string) =>
      compared(work, 'less', [[yardstick, 0], ...mediansOf(groups[`${first}, ${group}`], figure)])
    return [
      ...all.map(([framework, group]) =>
        compared(
          `server CPU per request, ${framework} ÷ headers by hand`,
          'less',
          mediansOf(group, 'microseconds ÷'),
        ),
      ),
      overRedis(
        `commands per request over Redis, ${first}, 64 connections`,
        'redis',
        'commandsPerRequest',
      ),
      overRedis(
        `commands per second while one address attacks, ${first}`,
        'attacked',
        'commandsPerSecond',
      ),
    ]
  },
}

interface Turns {
  readonly framework: string
  readonly rounds: number
  readonly warmUps: number
}

/** One entrant for each store of a contender. No request is denied, and windows end during the measurement. */
function entrantsOf(contender: Contender, redis: number): readonly Entrant[] {
  return contender.stores.map((store) => {
    const port = store === 'redis' ? [`${redis}`] : []
    return entrantOf(contender, `, ${store}`, ['1000000', '2000', ...port])
  })
}

function attackedOf(contenders: readonly Contender[], redis: number): readonly Entrant[] {
  return contenders
    .filter(({ stores }) => stores.includes('redis'))
    .map((contender) => entrantOf(contender, '', ['10', '60000', `${redis}`]))
}

function entrantOf({ framework, name }: Contender, of: string, args: readonly string[]): Entrant {
  return {
    name: `${name}${of}`,
    program: server,
    core: serverCore,
    args: [framework, name, ...args],
  }
}
