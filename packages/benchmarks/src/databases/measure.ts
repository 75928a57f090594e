import { setTimeout as delay } from 'node:timers/promises'
import type { AsyncStore } from '@sluice/core'
import { startPostgres } from '@sluice/test-kit/postgres'
import { temporaryFile } from '@sluice/test-kit/sqlite'
import { postgresStore } from '@sluice/postgres'
import { conditionsOf } from '../conditions.js'
import { timeout } from '../deciding.js'
import { groupOf, groupToFirst, type Group } from '../figures.js'
import { underLoads } from '../loads.js'
import { freshKeys, zipf } from '../memory/keys.js'
import { startContender } from '../processes/contender-process.js'
import { inTurns } from '../processes/in-turns.js'
import type { Reading } from '../processes/reading.js'
import { inFlight } from '../redis/in-flight.js'
import type { Results } from '../results.js'
import { databaseNames, slidingOver, sluice, type DatabaseKind } from './contender.js'
import { loads, sharedLoads, type SharedLoad } from './loads.js'
import { countingClient, poolAt, postgresContenders, type Groups } from './postgres.js'
import { serverTimeOf } from './server-time.js'
import { sqliteContenders, sqliteVersion } from './sqlite.js'

const program = new URL('./process.js', import.meta.url)
const sharedProgram = new URL('./shared-process.js', import.meta.url)

export interface Amount {
  readonly rounds: number
  /** All numbers of decisions are divided by it. */
  readonly divisor: number
}

type Say = (progress: string) => void

/** Measures everything on a server and a file of its own. */
export async function measureAll(say: Say, amount: Amount): Promise<Results> {
  const server = await startPostgres()
  const { file, remove } = temporaryFile()
  const admin = await poolAt(server.url, 'admin')
  // The end of the server ends its connections.
  admin.on('error', () => {})
  try {
    const sqlite = await traffic('sqlite', file, amount, say, async (_contender, work) => {
      await work()
      return {}
    })
    const postgres = await traffic('postgres', server.url, amount, say, async (contender, work) => {
      // So that the dead rows of another contender are not removed meanwhile.
      await admin.query('vacuum')
      return { serverMicroseconds: await serverTimeOf(admin, contender, work) }
    })
    const shared = new Map<string, readonly Reading[]>()
    for (const load of sharedLoads) {
      say(load.name)
      const target = load.database === 'postgres' ? server.url : file
      shared.set(load.name, await sharedTraffic(load, target, amount))
    }
    say('conflicts of one process')
    const { saved, refused } = await conflictsOf(server.url, 'alone', async (store) => {
      const keys = freshKeys(10_000).of(zipf(10_000, Math.ceil(20_000 / amount.divisor)))
      for (const { inFlight: atOnce, isHot } of loads) {
        if (!isHot) await inFlight(slidingOver(store), keys, atOnce)
      }
    })
    const returning = await conflictsOf(server.url, 'returning', returns)
    const { rows } = await admin.query<{ server_version: string }>('show server_version')
    const [version] = rows[0].server_version.split(' ')
    return {
      conditions: { ...(await conditionsOf()), postgres: version, sqlite: sqliteVersion() },
      amounts: {
        rounds: amount.rounds,
        saved,
        refused,
        savedOfReturning: returning.saved,
        refusedOfReturning: returning.refused,
      },
      groups: { postgres, sqlite, shared: groupOf(shared) },
    }
  } finally {
    await admin.end()
    await server.stop()
    remove()
  }
}

/** One process for each contender, in turns, under each load. `timed` does the work and returns what it cost the server. */
async function traffic(
  database: DatabaseKind,
  target: string,
  { rounds, divisor }: Amount,
  say: Say,
  timed: (contender: string, work: () => Promise<void>) => Promise<Reading>,
): Promise<Group> {
  const contenders = database === 'postgres' ? postgresContenders : sqliteContenders()
  const entrants = contenders.map(({ name }) => ({ name, program, args: [database, name, target] }))
  const readings = await inTurns(entrants, {
    rounds,
    say: (progress) => say(`${databaseNames[database]}, ${progress}`),
    measure: async (process, { name }) =>
      underLoads(process, loads, divisor, async (work, decisions) => {
        const cost = await timed(name, work)
        return Object.fromEntries(Object.entries(cost).map(([of, all]) => [of, all / decisions]))
      }),
  })
  return groupToFirst(readings)
}

/** Several processes at once: the times of the slowest one. The first measurement is a warm-up. */
async function sharedTraffic(
  { name, processes, decisions }: SharedLoad,
  target: string,
  { rounds, divisor }: Amount,
): Promise<readonly Reading[]> {
  const args = [name, `${Math.ceil(decisions / divisor)}`, target]
  const started = Array.from({ length: processes }, () => startContender(sharedProgram, { args }))
  const found: Reading[] = []
  try {
    for (let round = 0; round <= rounds; round++) {
      const all = await Promise.all(started.map(async (process) => process.measure('')))
      const longest = (figure: string) => Math.max(...all.map((each) => each[figure]))
      found.push({
        p50Ms: longest('p50Ms'),
        p99Ms: longest('p99Ms'),
        lateShare: all.reduce((sum, each) => sum + each['lateShare'], 0) / processes,
      })
    }
  } finally {
    await Promise.all(started.map(async (process) => process.stop()))
  }
  return found.slice(1)
}

/** The groups of a process that nobody competes with. */
async function conflictsOf(
  url: string,
  prefix: string,
  run: (store: AsyncStore) => Promise<void>,
): Promise<Groups> {
  const pool = await poolAt(url, `${sluice}, ${prefix}`)
  const client = countingClient(pool)
  await run(postgresStore(client, { timeout, migrate: true, prefix }))
  await pool.end()
  return client.groups
}

/** Asks for each key again when its row has ended, and may have been deleted. */
async function returns(store: AsyncStore): Promise<void> {
  const decide = slidingOver(store, 1000)
  const keys = freshKeys(3000).of(Array.from({ length: 3000 }, (_, i) => i))
  for (let times = 0; times < 4; times++) {
    await inFlight(decide, keys, 64)
    // A sliding window of a second counts for two, and its row is kept for another one.
    await delay(3500)
  }
}
