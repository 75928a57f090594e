import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomFrom, seed } from '@sluice/test-kit/random'
import { express, fastify, koa } from '@sluice/conformance/adapters'
import {
  fixedWindow,
  gcra,
  slidingLog,
  slidingWindow,
  tokenBucket,
  type Policy,
} from '@sluice/core'
import { describe, expect, test } from 'vitest'
import { streamSource } from '../../src/simulate/log/open.js'
import { readLog } from '../../src/simulate/log/read.js'
import { createGroups } from '../../src/simulate/replay.js'
import { createSample } from '../../src/simulate/sample.js'
import { Timeline } from '../../src/simulate/tally/timeline.js'
import { start } from './logs.js'

const requests = 300
const connections = 8

/** The last two addresses are one client, because an IPv6 address counts as its subnet. */
const clients = [
  ...Array.from({ length: 8 }, (_, i) => `192.0.2.${i}`),
  '2001:db8::1',
  '2001:db8::ffff:2',
]

const policies: Readonly<Record<string, Policy>> = {
  fixedWindow: fixedWindow({ limit: 8, window: '1m' }),
  slidingWindow: slidingWindow({ limit: 8, window: '1m' }),
  gcra: gcra({ limit: 8, window: '1m', burst: 4 }),
  slidingLog: slidingLog({ limit: 8, window: '1m' }),
  tokenBucket: tokenBucket({ capacity: 6, refill: 1, every: '10s' }),
  blocked: fixedWindow({ limit: 8, window: '1m', block: { for: '3m', on: 'exceeded' } }),
}

interface Served {
  /** The ids of the requests with the status 429. */
  readonly denied: ReadonlySet<string>
  /** The access log in JSON lines. */
  readonly log: string
}

/** Serves requests on the loopback, several at a time, and logs each at the end of its response. Each arrival moves the clock. */
async function served(adapter: (typeof express)[number], policy: Policy): Promise<Served> {
  const random = randomFrom(seed)
  const lines: string[] = []
  const denied = new Set<string>()
  let now = start
  const app = await adapter.serve({
    proxies: 1,
    place: 'app',
    handling: 'framework',
    options: () => ({ name: 'live', policies: policy, clock: () => now }),
    first({ header, response }) {
      now += 1 + Math.floor(random() * 2000)
      const arrived = now
      const [id, ip] = [header('x-request-id'), header('x-forwarded-for')]
      response.once('close', () => {
        const status: unknown = Reflect.get(response, 'statusCode')
        const time = new Date(now).toISOString()
        const line = { time, durationMs: now - arrived, ip, method: 'GET', url: '/', status, id }
        lines.push(`${JSON.stringify(line)}\n`)
      })
    },
    async handle() {
      await sleep(random() * 8)
      return { status: 200, type: 'text/plain', body: 'ok' }
    },
    failed: (error) => ({ status: 500, type: 'text/plain', body: String(error) }),
  })

  let next = 0
  async function sendRequests(): Promise<void> {
    while (next < requests) {
      const id = `${next++}`
      const ip = clients[Math.floor(random() ** 2 * clients.length)]
      const headers = { 'x-request-id': id, 'x-forwarded-for': ip }
      const { status } = await fetch(`http://127.0.0.1:${app.port}/`, { headers })
      if (status === 429) denied.add(id)
    }
  }
  await Promise.all(Array.from({ length: connections }, sendRequests))
  await app.close()
  return { denied, log: lines.join('') }
}

/** Replays the log, and returns the ids of the denied requests. */
async function replayed(log: string, policy: Policy): Promise<ReadonlySet<string>> {
  const denied = new Set<string>()
  const [group] = createGroups([{ policies: policy }], createSample(1), new Timeline())
  const [{ tally }] = group.variants
  const { lines, late, time } = await readLog(
    [streamSource('log', Readable.from([Buffer.from(log)]))],
    {
      onDetected() {},
      onRecord(record) {
        const before = tally.denied
        group.push(record)
        if (tally.denied > before) denied.add(String(record.field('id')))
      },
    },
  )
  expect({ lines, late, time }).toEqual({ lines: requests, late: 0, time: 'arrival' })
  return denied
}

function sorted(ids: ReadonlySet<string>): readonly number[] {
  return [...ids].map(Number).sort((a, b) => a - b)
}

describe('a replay denies the requests that the server denied', () => {
  test.each(Object.entries(policies))('%s', async (_, policy) => {
    const { denied, log } = await served(express[1], policy)
    expect(denied.size).toBeGreaterThan(requests / 12)
    expect(denied.size).toBeLessThan(requests - requests / 12)
    // Lines are in the order of the ends of the requests.
    const arrivals = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ time, durationMs }) => Date.parse(time) - durationMs)
    expect(arrivals).not.toEqual(arrivals.toSorted((a, b) => a - b))
    expect(sorted(await replayed(log, policy))).toEqual(sorted(denied))
  })

  test.each([fastify[0], koa[0]].map((adapter) => [adapter.name, adapter] as const))(
    '%s',
    async (_, adapter) => {
      const { denied, log } = await served(adapter, policies['slidingWindow'])
      expect(denied.size).toBeGreaterThan(requests / 12)
      expect(sorted(await replayed(log, policies['slidingWindow']))).toEqual(sorted(denied))
    },
  )
})
