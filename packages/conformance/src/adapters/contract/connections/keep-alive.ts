import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { concurrency, fixedWindow } from '@sluice/core'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Adapter, RawResponse } from '../../adapter.js'
import { clientOf, type Client } from '../../client.js'
import { today } from '../../test-server.js'

const connections = 4
const warmUp = 1500
const batch = 1200

/** A few seconds, on a machine that has nothing else to do. */
const patienceMs = 120_000

/** The last responses of the connections may still be in use. */
const mostKept = 2 * connections

export function describeKeepAlive(adapter: Adapter): void {
  describe(`${adapter.name}: persistent connections`, () => {
    test(
      'carry thousands of requests, and keep neither their listeners nor their responses',
      async () => {
        const warnings: string[] = []
        const note = ({ name }: Error): unknown => warnings.push(name)
        process.on('warning', note)
        let now = today
        let most = new Map<string, number>()
        const responses: WeakRef<object>[] = []
        const served = await adapter.serve({
          proxies: 0,
          place: 'app',
          handling: 'application',
          first: () => {},
          // Admissions and denials alternate, and each response is followed by work.
          options: () => ({
            policies: {
              rate: fixedWindow({ limit: 50, window: 1000 }),
              running: concurrency({ limit: 100, lease: '1h' }),
            },
            key: 'all',
            clock: () => (now += 5),
            count: 'successes',
          }),
          handle({ response }) {
            responses.push(new WeakRef(response))
            for (const [name, count] of listenersOf(response)) {
              most.set(name, Math.max(count, most.get(name) ?? 0))
            }
            return { status: 200, type: 'text/plain', body: 'hello' }
          },
          failed: (error) => ({ status: 500, type: 'text/plain', body: String(error) }),
        })
        const client = clientOf(adapter, served.port, connections)
        onTestFinished(async () => {
          process.off('warning', note)
          client.close()
          await served.close()
        })

        const statuses = await hammer(client, warmUp)
        const listeners = most
        most = new Map()
        for (const [status, count] of Object.entries(await hammer(client, batch))) {
          statuses[Number(status)] += count
        }
        expect(Object.keys(statuses)).toEqual(['200', '429'])
        expect(statuses[200] + statuses[429]).toBe(warmUp + batch)
        expect(most).toEqual(listeners)
        expect(warnings).toEqual([])
        await vi.waitFor(() => expect(keptOf(responses)).toBeLessThanOrEqual(mostKept))
      },
      patienceMs,
    )
  })
}

/** Sends `count` requests over all connections at once, and counts the answers by their status. */
async function hammer(client: Client, count: number): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {}
  let left = count
  async function oneAfterAnother(): Promise<void> {
    while (left-- > 0) {
      const { status } = await client.send({ method: 'GET', path: '/', headers: {} }).reply
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: connections }, oneAfterAnother))
  return statuses
}

/** The listeners, behind the limiter, of the response and of the objects that carry it. */
function listenersOf(response: RawResponse): [string, number][] {
  const { socket, stream } = response
  return Object.entries({ response, socket, stream, session: stream?.session }).flatMap(
    ([where, emitter]) =>
      (emitter?.eventNames() ?? []).map((name): [string, number] => [
        `${where} ${String(name)}`,
        emitter?.listenerCount(name) ?? 0,
      ]),
  )
}

/** The number of objects that are still in memory after a garbage collection. */
function keptOf(objects: readonly WeakRef<object>[]): number {
  setFlagsFromString('--expose-gc')
  const gc: () => void = runInNewContext('gc')
  gc()
  return objects.filter((object) => object.deref() !== undefined).length
}
