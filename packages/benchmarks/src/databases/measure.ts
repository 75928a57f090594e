import { setTimeout as delay } from 'node:timers/promises'
import type { AsyncStore } from '@sluice/core'
import { startPostgres } from '@sluice/test-kit/postgres'
import { temporaryFile } from '@sluice/test-kit/sqlite'
import { postgresStore } from '@sluice/postgres'
import { freshKeys, zipf } from '../memory/keys.js'
import { startContender } from '../processes/contender-process.js'
import { inTurns, type Readings } from '../processes/in-turns.js'
import type { Reading } from '../processes/reading.js'
import { inFlight } from '../redis/in-flight.js'
import { spreadOf, type Spread } from '../rounds.js'
import { sluice, type DatabaseKind } from './contender.js'
import { sluiceOver, timeout } from './deciding.js'
import { loads, sharedLoads, type SharedLoad } from './loads.js'
import { countingClient, poolAt, postgresContenders, type Groups } from './postgres.js'
import { serverTimeOf } from './server-time.js'
import { sqliteContenders } from './sqlite.js'

const program = new URL('./process.js', import.meta.url)
const sharedProgram = new URL('./shared-process.js', import.meta.url)

export interface Measured {
  readonly postgres: Readings
  readonly sqlite: Readings
  readonly shared: readonly SharedFigures[]
  /** Of a single process. */
  readonly groups: Groups
  /** Of a single process whose keys return after their rows have ended. */
  readonly returning: Groups
  /** The version of PostgreSQL. */
  readonly version: string
}

export interface SharedFigures {
  readonly database: DatabaseKind
  readonly name: string
  /** Each of the process in which it was the longest. */
  readonly p50Ms: Spread
  readonly p99Ms: Spread
  /** The share of decisions that were not made within the timeout. */
  readonly lateShare: Spread
}

export interface Amount {
  readonly rounds: number
  /** All numbers of decisions are divided by it. */
  readonly divisor: number
}

/** Measures everything on a server and a file of its own. */
export async function measureAll(
  say: (progress: string) => void,
  amount: Amount,
): Promise<Measured> {
  const server = await startPostgres()
  const { file, remove } = temporaryFile()
  const admin = await poolAt(server.url, 'admin')
  // The end of the server ends its connections.
  admin.on('error', () => {})
  try {
    const sqlite = await traffic('sqlite', file, amount, (progress) => say(`SQLite, ${progress}`))
    const postgres = await traffic(
      'postgres',
      server.url,
      amount,
      (progress) => say(`PostgreSQL, ${progress}`),
      async (name, work) => {
        // So that the dead rows of another contender are not removed meanwhile.
        await admin.query('vacuum')
        return serverTimeOf(admin, name, work)
      },
    )
    const shared: SharedFigures[] = []
    for (const load of sharedLoads) {
      say(load.name)
      shared.push(await sharedTraffic(load, { postgres: server.url, sqlite: file }, amount))
    }
    say('conflicts of one process')
    const groups = await conflictsOf(server.url, 'alone', async (store) => {
      const keys = freshKeys(10_000).of(zipf(10_000, Math.ceil(20_000 / amount.divisor)))
      for (const { inFlight: atOnce, isHot } of loads) {
        if (!isHot) await inFlight(sluiceOver(store), keys, atOnce)
      }
    })
    const returning = await conflictsOf(server.url, 'returning', returns)
    const { rows } = await admin.query<{ server_version: string }>('show server_version')
    const [{ server_version: version }] = rows
    return { postgres, sqlite, shared, groups, returning, version: version.split(' ')[0] }
  } finally {
    await admin.end()
    await server.stop()
    remove()
  }
}

/** One process for each contender, in turns, under each load. */
async function traffic(
  database: DatabaseKind,
  target: string,
  { rounds, divisor }: Amount,
  say: (progress: string) => void,
  timed?: (name: string, work: () => Promise<void>) => Promise<number>,
): Promise<Readings> {
  const contenders = database === 'postgres' ? postgresContenders : sqliteContenders()
  const entrants = contenders.map(({ name }) => ({ name, program, args: [database, name, target] }))
  return inTurns(entrants, {
    rounds,
    say,
    async measure(process, { name: contender }) {
      const found: [string, number][] = []
      for (const { name, decisions } of loads) {
        const amount = Math.ceil(decisions / divisor)
        let reading: Reading = {}
        const work = async (): Promise<void> => {
          reading = await process.measure(`${name} of ${amount}`)
        }
        if (timed === undefined) await work()
        else found.push([`${name} serverMicroseconds`, (await timed(contender, work)) / amount])
        for (const [figure, value] of Object.entries(reading)) {
          found.push([`${name} ${figure}`, value])
        }
      }
      return Object.fromEntries(found)
    },
  })
}

/** Several processes at once. The first measurement is a warm-up. */
async function sharedTraffic(
  { database, name, processes, decisions }: SharedLoad,
  targets: Readonly<Record<DatabaseKind, string>>,
  { rounds, divisor }: Amount,
): Promise<SharedFigures> {
  const args = [name, `${Math.ceil(decisions / divisor)}`, targets[database]]
  const started = Array.from({ length: processes }, () => startContender(sharedProgram, { args }))
  const found: (readonly Reading[])[] = []
  try {
    for (let round = 0; round <= rounds; round++) {
      found.push(await Promise.all(started.map(async (process) => process.measure(''))))
    }
  } finally {
    await Promise.all(started.map(async (process) => process.stop()))
  }
  const measured = found.slice(1)
  const longest = (figure: string): Spread =>
    spreadOf(measured.map((readings) => Math.max(...readings.map((each) => each[figure]))))
  const lateShare = spreadOf(
    measured.map(
      (readings) => readings.reduce((sum, each) => sum + each['lateShare'], 0) / processes,
    ),
  )
  return { database, name, p50Ms: longest('p50Ms'), p99Ms: longest('p99Ms'), lateShare }
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
  const decide = sluiceOver(store, 1000)
  const keys = freshKeys(3000).of(Array.from({ length: 3000 }, (_, i) => i))
  for (let times = 0; times < 4; times++) {
    await inFlight(decide, keys, 64)
    // A sliding window of a second counts for two, and its row is kept for another one.
    await delay(3500)
  }
}
