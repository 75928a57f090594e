import { randomUUID } from 'node:crypto'
import { useRedis } from '@sluice/test-kit/redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startCutOff, type CutOff } from '../src/cut-off.js'
import { runtimes, type Running } from '../src/runtimes.js'
import { skipIf } from '../src/skip.js'

const redis = useRedis()

const clientsOf: Readonly<Record<string, readonly string[]>> = {
  Bun: ['ioredis', 'node-redis', 'bun'],
  Deno: ['ioredis', 'node-redis'],
}

interface Answer {
  readonly allowed: boolean
  readonly source: string
  readonly remaining: number
}

for (const { name, missing, serve } of runtimes.filter((each) => each.name in clientsOf)) {
  const { isSkipped, title } = skipIf(name, missing)
  describe.skipIf(isSkipped).each(clientsOf[name])(`%s on ${title}`, (client) => {
    let cutOff: CutOff
    let running: Running
    beforeAll(async () => {
      cutOff = await startCutOff(redis.port)
      const REDIS_URL = `redis://127.0.0.1:${cutOff.port}`
      running = await serve('redis-clients.js', {
        CLIENT: client,
        LIMITER: randomUUID(),
        REDIS_URL,
      })
    })
    afterAll(async () => {
      await running?.stop()
      cutOff?.stop()
    })

    async function ask(verb: 'consume' | 'peek', key: string): Promise<Answer> {
      const answer: unknown = await (await fetch(`${running.url}/${verb}?key=${key}`)).json()
      return answer as Answer
    }

    test('of 40 parallel requests, as many are allowed as the limit says', async () => {
      const all = await Promise.all(Array.from({ length: 40 }, async () => ask('consume', 'many')))
      expect(all.filter(({ allowed }) => allowed).length).toBe(25)
      expect(new Set(all.map(({ source }) => source))).toEqual(new Set(['store']))
    })

    test('a script that Redis has lost is sent again', async () => {
      expect((await ask('consume', 'lost')).remaining).toBe(24)
      await redis.connection.script('FLUSH')
      expect(await ask('consume', 'lost')).toEqual({
        allowed: true,
        source: 'store',
        remaining: 23,
      })
    })

    test('a call whose connection is cut off has counted, and only ioredis sends it again', async () => {
      const calls = client === 'ioredis' ? 2 : 1
      expect((await ask('consume', 'cut')).remaining).toBe(24)
      const before = cutOff.scripts()
      cutOff.cutNext()
      const { source } = await ask('consume', 'cut')
      expect(source).toBe(client === 'ioredis' ? 'store' : 'closed')
      expect(cutOff.scripts() - before).toBe(calls)
      await expect
        .poll(async () => ask('peek', 'cut'), { timeout: 10_000 })
        .toMatchObject({ source: 'store', remaining: 24 - calls })
      expect((await ask('consume', 'cut')).remaining).toBe(23 - calls)
    })
  })
}
