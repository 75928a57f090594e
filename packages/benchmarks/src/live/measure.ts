import { setTimeout as delay } from 'node:timers/promises'
import type { RedisServer } from '@sluice/conformance/servers'
import { startContender, type ContenderProcess } from '../processes/contender-process.js'
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

/** The CPU time of a Fastify server for a request while a dashboard is open, as a multiple of that without one. */
export async function serverCpu(
  redis: RedisServer,
  rounds: number,
  requests: number,
  say: (progress: string) => void,
): Promise<{ readonly ratio: Spread; readonly microseconds: Spread }> {
  const clients = startContender(load)
  const servers = ['nothing', 'dashboard'].map((watcher) =>
    startContender(program('server'), { args: [watcher, `${redis.port}`] }),
  )
  try {
    const [bare, watched] = servers
    for (const server of servers) await cpuOfRequests(server, clients, requests)
    const found = await inRounds([bare, watched], rounds, async (server, round) => {
      say(`Fastify, round ${round + 1} of ${rounds}`)
      return cpuOfRequests(server, clients, requests)
    })
    const [without, withOne] = [found.get(bare) ?? [], found.get(watched) ?? []]
    return {
      ratio: spreadOf(withOne.map((microseconds, i) => microseconds / without[i])),
      microseconds: spreadOf(withOne),
    }
  } finally {
    await Promise.all([clients, ...servers].map(async (process) => process.stop()))
  }
}

/** The page of a dashboard is open meanwhile: it asks for a view every two seconds. */
async function cpuOfRequests(
  server: ContenderProcess,
  clients: ContenderProcess,
  requests: number,
): Promise<number> {
  const before = await server.measure('')
  const page = before['pagePort']
  const poll = async (): Promise<void> => {
    await (await fetch(`http://127.0.0.1:${page}/api/view`)).arrayBuffer()
  }
  const timer = page === 0 ? undefined : setInterval(() => void poll(), 2000)
  const traffic = { port: before['port'], connections: 64, addresses: 64, requests }
  await clients.measure(JSON.stringify(traffic))
  clearInterval(timer)
  const after = await server.measure('')
  return (after['microseconds'] - before['microseconds']) / requests
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
