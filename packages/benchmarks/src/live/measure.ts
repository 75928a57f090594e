import { setTimeout as delay } from 'node:timers/promises'
import type { RedisServer } from '@sluice/test-kit/servers'
import { startContender } from '../processes/contender-process.js'
import { figuresOf, inTurns } from '../processes/in-turns.js'
import { fieldOf } from '../ratios.js'
import { percentileOf } from '../redis/in-flight.js'
import { inRounds, spreadOf, type Spread } from '../rounds.js'
import { watchers } from './watchers.js'

const program = (name: string): URL => new URL(`./${name}-process.js`, import.meta.url)
const load = new URL('../http/load-process.js', import.meta.url)

/** The time that a watcher adds to a decision, in microseconds. */
export interface AddedToDecision {
  readonly watcher: string
  readonly oneKey: Spread
  readonly manyKeys: Spread
  /** The CPU time of the client, over Redis with 64 decisions in flight. */
  readonly overRedis: Spread
}

/** Measures decisions with each watcher, in turns, and compares each round with that of the process that nothing watches. */
export async function addedToDecisions(
  redis: RedisServer,
  rounds: number,
  decisions: number,
  say: (progress: string) => void,
): Promise<readonly AddedToDecision[]> {
  const readings = await inTurns(
    watchers.map((name) => ({
      name,
      program: program('decisions'),
      args: [name, `${redis.port}`],
      node: ['--expose-gc'],
    })),
    { rounds, say, warmUps: 3, measure: async (one) => one.measure(`${decisions}`) },
  )
  return watchers.slice(1).map((watcher) => {
    const added = (figure: string): Spread => {
      const [bare, watched] = ['nothing', watcher].map((name) => figuresOf(readings, name, figure))
      return spreadOf(watched.map((nanoseconds, i) => (nanoseconds - bare[i]) / 1000))
    }
    return {
      watcher,
      oneKey: added('oneKey'),
      manyKeys: added('manyKeys'),
      overRedis: added('overRedis'),
    }
  })
}

/** The turns of a round, with a dashboard and without one. */
const turns = 10

/**
 * The CPU time of a Fastify server while a dashboard is open, as a multiple of that without one. One process takes both in turns of less than a second: two
 * processes, and the speed of a machine over seconds, differ by more than a dashboard costs.
 *
 * @param requests those of a turn
 */
export async function serverCpu(
  redis: RedisServer,
  rounds: number,
  requests: number,
  say: (progress: string) => void,
): Promise<{ readonly ratio: Spread }> {
  const clients = startContender(load)
  const server = startContender(program('server'), { args: [`${redis.port}`] })
  try {
    const { port, pagePort } = await server.measure('')
    let poll = 0
    const cpuOf = async (work: 'open' | 'close'): Promise<number> => {
      const before = await server.measure(work)
      // A page asks for a view every two seconds.
      if (work === 'open' && poll++ % turnsOfPoll === 0) {
        await (await fetch(`http://127.0.0.1:${pagePort}/api/view`)).arrayBuffer()
      }
      const traffic = { port, connections: 64, addresses: 64, requests }
      await clients.measure(JSON.stringify(traffic))
      const after = await server.measure('')
      return after['microseconds'] - before['microseconds']
    }
    const inTurns = async (round: number): Promise<number> => {
      say(`Fastify, round ${round} of ${rounds}`)
      const found = await inRounds(['open', 'close'] as const, turns, cpuOf)
      const [withOne, without] = [found.get('open') ?? [], found.get('close') ?? []]
      return sumOf(withOne) / sumOf(without)
    }
    const ratios: number[] = []
    for (let round = 0; round <= rounds; round++) ratios.push(await inTurns(round))
    // The first round warms the server up.
    return { ratio: spreadOf(ratios.slice(1)) }
  } finally {
    await Promise.all([clients, server].map(async (process) => process.stop()))
  }
}

/** A turn of 8,000 requests takes about 0.8 s. */
const turnsOfPoll = 3

function sumOf(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0)
}

/** The views of the first half minute of a page. */
const firstViews = 15

/** The time of `api/view` with the data of several processes. */
export interface ViewTime {
  readonly processes: number
  readonly limiters: number
  readonly medianMs: number
  readonly worstMs: number
  readonly bytes: number
}

/** Asks for the view every two seconds, as a page that is open does; the first views are not measured. */
export async function viewTime(
  redis: RedisServer,
  { processes, limiters, requests }: { processes: number; limiters: number; requests: number },
): Promise<ViewTime> {
  const args = [redis.port, processes, limiters].map(String)
  const server = startContender(program('view'), { args })
  try {
    const { port } = await server.measure('')
    const times: number[] = []
    let bytes = 0
    for (let i = 0; i < firstViews + requests; i++) {
      await delay(2000)
      const before = performance.now()
      const response = await fetch(`http://127.0.0.1:${port}/api/view`)
      const text = await response.text()
      if (i >= firstViews) times.push(performance.now() - before)
      const view: unknown = JSON.parse(text)
      const listed = fieldOf(view, 'limiters')
      const isComplete = Array.isArray(listed) && listed.length === limiters
      if (!isComplete || fieldOf(view, 'processes') !== processes) {
        throw new Error('the view lacks processes or limiters')
      }
      bytes = text.length
    }
    const [medianMs, worstMs] = [percentileOf(times, 0.5), Math.max(...times)]
    return { processes, limiters, medianMs, worstMs, bytes }
  } finally {
    await server.stop()
  }
}

/** The delays while a dashboard searches the keys of a limiter, and while it does not. */
export interface SearchDelays {
  readonly keys: number
  /** The keys that were read in a second. */
  readonly scannedPerSecond: number
  /** The latency of a `GET` of another client, at the 99th percentile. */
  readonly redisP99Ms: readonly [idle: number, searching: number]
  /** The delay of the event loop of the process that searches, at the 99th percentile. */
  readonly loopP99Ms: readonly [idle: number, searching: number]
}

export async function searchDelays(
  redis: RedisServer,
  keys: number,
  seconds: number,
): Promise<SearchDelays> {
  const client = redis.client()
  const server = startContender(program('search'), { args: [`${redis.port}`, `${keys}`] })
  try {
    await server.measure('search 1')
    const p99: number[] = []
    const loop: number[] = []
    let scanned = 0
    for (const work of ['idle', 'search']) {
      const ended = server.measure(`${work} ${seconds}`)
      const latencies: number[] = []
      const endsAt = performance.now() + seconds * 1000
      while (performance.now() < endsAt) {
        const askedAt = performance.now()
        await client.get('no key')
        latencies.push(performance.now() - askedAt)
        await delay(1)
      }
      const reading = await ended
      p99.push(percentileOf(latencies, 0.99))
      loop.push(reading['loopP99Ms'])
      scanned = reading['scanned']
    }
    return {
      keys,
      scannedPerSecond: scanned / seconds,
      redisP99Ms: [p99[0], p99[1]],
      loopP99Ms: [loop[0], loop[1]],
    }
  } finally {
    await server.stop()
    client.disconnect()
  }
}
