import { setTimeout as delay } from 'node:timers/promises'
import { startRestServer, useRedis, useRest } from '@sluice/test-kit/redis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { runtimes, type Running } from '../src/runtimes.js'
import { skipIf } from '../src/skip.js'
import { visitorOf, type Visitor } from '../src/visitor.js'

const redis = useRedis()
const rest = useRest(redis)

for (const { name, missing, serve } of runtimes.filter((each) => each.name.startsWith('workerd'))) {
  const { isSkipped, title } = skipIf(name, missing, `${name}, over Redis by HTTP`)
  describe.skipIf(isSkipped)(title, () => {
    let running: Running
    beforeAll(async () => {
      running = await serve('worker.js', { REST_URL: rest().url, REST_TOKEN: rest().token })
    })
    afterAll(() => running?.stop())
    const visitor = (): Visitor => visitorOf(running.url)

    test('of 40 parallel requests, as many are allowed as the limit says', async () => {
      const { ask } = visitor()
      const all = await Promise.all(Array.from({ length: 40 }, async () => statusOf(ask('take'))))
      expect(countsOf(all)).toEqual({ 200: 25, 429: 15 })
    })

    test('a denial that the process repeats without the store is a 429, with the wait', async () => {
      const { ask, statuses } = visitor()
      expect(countsOf(await statuses(25, 'take'))).toEqual({ 200: 25 })
      // The process repeats a denial for a second, which a busy machine can take for ten requests.
      async function callsOfRepeats(): Promise<number> {
        expect(await statuses(1, 'take')).toEqual([429])
        const before = rest().commands.length
        for (const denied of await Promise.all(
          Array.from({ length: 10 }, async () => ask('take')),
        )) {
          expect([denied.status, await denied.json()]).toMatchObject([429, { status: 429 }])
          expect(denied.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/)
        }
        return rest().commands.length - before
      }
      await expect.poll(callsOfRepeats, { timeout: 20_000 }).toBe(0)
    })

    test('parallel requests wait for a slow service no longer than its timeout', async () => {
      const { ask, statuses } = visitor()
      expect(await statuses(1, 'hasty')).toEqual([200])
      rest().answer = async (_response, forward) => {
        await delay(3000)
        await forward()
      }
      onTestFinished(() => void (rest().answer = undefined))
      const since = performance.now()
      const all = await Promise.all(Array.from({ length: 40 }, async () => statusOf(ask('hasty'))))
      expect(countsOf(all)).toEqual({ 429: 40 })
      const tookMs = performance.now() - since
      expect(tookMs).toBeGreaterThan(399)
    })

    test('while the service is gone, requests are decided at once, and by it again when it returns', async () => {
      const service = await startRestServer(redis.connection)
      const port = Number(new URL(service.url).port)
      const own = await serve('worker.js', { REST_URL: service.url, REST_TOKEN: service.token })
      onTestFinished(async () => own.stop())
      const { ask, statuses } = visitorOf(own.url)
      expect(await statuses(1, 'hasty')).toEqual([200])
      await service.stop()
      const all = await Promise.all(Array.from({ length: 20 }, async () => statusOf(ask('hasty'))))
      expect(countsOf(all)).toEqual({ 429: 20 })
      const again = await startRestServer(redis.connection, port)
      onTestFinished(async () => again.stop())
      await expect.poll(async () => statusOf(ask('hasty')), { timeout: 5000 }).toBe(200)
      expect(await statuses(3, 'hasty')).toEqual([200, 200, 200])
    })

    test.each(['rest', 'memory'])('requests wait for each other (%s)', async (store) => {
      for (const path of ['wait', 'queue', 'lease']) {
        const { ask } = visitor()
        const since = performance.now()
        const all = [1, 2, 3].map(async () => statusOf(ask(`${store}/${path}`)))
        expect([path, await Promise.all(all)]).toEqual([path, [200, 200, 200]])
        const leastMs = { wait: 1000, queue: 400, lease: 450 }[path] ?? 0
        // Workers round their clock to whole milliseconds.
        expect(performance.now() - since).toBeGreaterThan(leastMs - 10)
      }
    })

    test('waitUntil is called once for each refund, and the refund reaches Redis', async () => {
      const { ask } = visitor()
      const waiting = async (): Promise<number> => Number(await (await ask('waiting')).text())
      const before = await waiting()
      for (let i = 0; i < 3; i++) {
        await expect.poll(async () => statusOf(ask('refund')), { timeout: 5000 }).toBe(200)
      }
      const allowed = (await waiting()) - before
      expect(allowed).toBe(3)
    })
  })
}

async function statusOf(response: Promise<Response>): Promise<number> {
  const { status, body } = await response
  await body?.cancel()
  return status
}

/** How often each status occurs. */
function countsOf(statuses: readonly number[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
