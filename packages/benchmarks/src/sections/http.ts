import { startRedis } from '@sluice/test-kit/servers'
import type { Redis } from 'ioredis'
import { conditionsOf, sentenceOf } from '../conditions.js'
import type { Contender, Store } from '../http/contender.js'
import { frameworks } from '../http/contenders.js'
import { attackTable, costTable, ratiosOfHttp, redisTable, type Found } from '../http/tables.js'
import { trial, type Load } from '../http/trial.js'
import { startContender, type ContenderProcess } from '../processes/contender-process.js'
import { bind, canBind } from '../processes/cores.js'
import { inTurns, type Entrant, type Readings } from '../processes/in-turns.js'
import { spreadOf } from '../rounds.js'
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
  async run(say, quick) {
    const redis = await startRedis()
    const clients = startContender(load, { core: otherCore })
    try {
      bind(redis.pid, otherCore)
      const admin = redis.client()
      const rounds = quick ? 2 : 6
      const requests = quick ? 1000 : 6000
      const usual: Load = { connections: 64, addresses: 64, requests }
      const attack: Load = { connections: 64, addresses: 1, seconds: quick ? 1 : 3 }
      const found: Found[] = []
      for (const [framework, contenders] of Object.entries(frameworks)) {
        const all = await contenders()
        const tell = (progress: string) => say(`${framework}, ${progress}`)
        const entrants = all.flatMap((contender) => entrantsOf(contender, redis.port))
        found.push({
          framework,
          usual: await turns(entrants, admin, clients, usual, rounds, tell),
          attacked: await turns(attackedOf(all, redis.port), admin, clients, attack, 1, tell),
        })
      }
      const conditions = await conditionsOf(admin)
      const apart = canBind ? 'server and load on different cores' : 'server and load on any core'
      return {
        results: {
          conditions,
          rounds,
          bound: canBind,
          usual,
          attack,
          frameworks: found.map(plain),
        },
        ratios: ratiosOfHttp(found),
        table: [
          `${sentenceOf(conditions)} ${rounds} rounds of ${requests.toLocaleString('en')} requests, 64 connections, ${apart}; medians.`,
          '',
          costTable(found),
          '',
          'Over Redis:',
          '',
          redisTable(found),
          '',
          `Under attack, for ${attack.seconds} seconds, by one address that may send ten requests a minute:`,
          '',
          attackTable(found),
        ].join('\n'),
      }
    } finally {
      await clients.stop()
      await redis.stop()
    }
  },
}

/** One entrant for each store of a contender. No request is denied, and windows end during the measurement. */
function entrantsOf(contender: Contender, redis: number): Entrant[] {
  return contender.stores.map((store) => {
    const port = store === 'redis' ? [`${redis}`] : []
    return entrantOf(contender, store, ['1000000', '2000', ...port])
  })
}

function attackedOf(contenders: readonly Contender[], redis: number): Entrant[] {
  return contenders
    .filter(({ stores }) => stores.includes('redis'))
    .map((contender) => entrantOf(contender, 'redis', ['10', '60000', `${redis}`]))
}

function entrantOf({ framework, name }: Contender, store: Store, args: readonly string[]): Entrant {
  return {
    name: `${name}, ${store}`,
    program: server,
    core: serverCore,
    args: [framework, name, ...args],
  }
}

async function turns(
  entrants: readonly Entrant[],
  admin: Redis,
  clients: ContenderProcess,
  load: Load,
  rounds: number,
  say: (progress: string) => void,
): Promise<Readings> {
  return inTurns(entrants, {
    rounds,
    say,
    warmUps: load.seconds === undefined ? 4 : 1,
    measure: async (process) => trial(admin, process, clients, load),
  })
}

function plain({ framework, usual, attacked }: Found) {
  return { framework, usual: spreads(usual), attacked: spreads(attacked) }
}

function spreads(readings: Readings) {
  return Object.fromEntries(
    [...readings].map(([name, rounds]) => [
      name,
      Object.fromEntries(
        Object.keys(rounds[0]).map((figure) => [
          figure,
          spreadOf(rounds.map((reading) => reading[figure])),
        ]),
      ),
    ]),
  )
}
