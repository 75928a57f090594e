import { memoryStore, redisStore, type Store } from '@sluice/core'
import { express, fastify } from '@sluice/conformance/adapters'
import { startRedis } from '@sluice/test-kit/redis'
import { loadRules, staticSource, type LoadedRules, type RulesDocument } from '@sluice/rules'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Adapter } from '../../src/adapters/adapter.js'
import { sendTarget } from './targets.js'

const perHour = { key: [], window: '1h', algorithm: 'fixedWindow' } as const

const document: RulesDocument = {
  version: 1,
  name: 'failures',
  rules: [
    { id: 'all', ...perHour, limit: 5 },
    { id: 'points', ...perHour, limit: 2, over: { tag: 'no-points' } },
    { id: 'trial', ...perHour, limit: 1, shadow: true },
  ],
}

interface Served {
  readonly rules: LoadedRules<unknown>
  /** The status of a request, where it was decided, and its tags. */
  send(): Promise<readonly [number, string?, (readonly string[])?]>
}

async function served(adapter: Adapter, store: Store): Promise<Served> {
  const rules = await loadRules({ source: staticSource(document) })
  const { port, close } = await adapter.serve({
    options: () => ({ rules, store }),
    proxies: 0,
    place: 'app',
    handling: 'framework',
    first: () => {},
    failed: (error) => ({ status: 500, type: 'text/plain', body: String(error) }),
    handle: ({ decision }) => ({
      status: 200,
      type: 'application/json',
      body: JSON.stringify(decision),
    }),
  })
  onTestFinished(close)
  return {
    rules,
    async send() {
      const { status, body } = await sendTarget(port, '/')
      if (status !== 200) return [status]
      const { source, tags } = JSON.parse(body)
      return [status, source, tags]
    },
  }
}

describe.each([express[1], fastify[0]])('$name', (adapter) => {
  test('if Redis is killed, the rules count in memory, and in Redis when it answers again', async () => {
    const redis = await startRedis()
    const store = redisStore(redis.client({ maxRetriesPerRequest: null }), { timeout: '1s' })
    const { send, rules } = await served(adapter, store)
    const tags = ['no-points']
    expect([await send(), await send(), await send()]).toEqual([
      [200, 'store', []],
      [200, 'store', []],
      [200, 'store', tags],
    ])
    process.kill(redis.pid, 'SIGKILL')
    const found = []
    for (let i = 0; i < 7; i++) found.push((await send()).slice(0, 2))
    expect(found).toEqual([...Array.from({ length: 5 }, () => [200, 'fallback']), [429], [429]])
    const later = await startRedis({ port: redis.port })
    onTestFinished(async () => {
      await later.stop()
      await redis.stop()
    })
    await vi.waitFor(async () => expect(await send()).toEqual([200, 'store', []]), {
      timeout: 10_000,
      interval: 100,
    })
    const { denied, errors } = rules.stats().get('all') ?? {}
    expect([denied, errors]).toEqual([expect.any(Number), 0])
    await vi.waitFor(() => expect(rules.stats().get('trial')?.shadowDenied).toBeGreaterThan(0))
  })

  test.each(['throws', 'rejects', 'hangs'] as const)(
    'a store that %s for a shadow rule changes no response and delays none',
    async (how) => {
      const { send, rules } = await served(adapter, failing(how))
      const found = []
      for (let i = 0; i < 6; i++) found.push(await send())
      const tags = ['no-points']
      expect(found).toEqual([
        [200, 'store', []],
        [200, 'store', []],
        [200, 'store', tags],
        [200, 'store', tags],
        [200, 'store', tags],
        [429],
      ])
      expect(rules.stats().get('all')).toMatchObject({ allowed: 5, denied: 1, errors: 0 })
      expect(rules.stats().get('trial')).toMatchObject({ asked: 6, denied: 0 })
    },
  )
})

/** A store in memory that fails for the shadow rule. */
function failing(how: 'throws' | 'rejects' | 'hangs'): Store {
  const memory = memoryStore()
  if (memory.async) throw new Error('A store in memory answers at once.')
  const isTrial = (request: Parameters<typeof memory.run>[0]): boolean =>
    JSON.stringify(request).includes('"trial"')
  const ping = (): true => true
  const close = (): void => memory.close()
  if (how === 'throws') {
    return {
      async: false,
      ping,
      close,
      run(request) {
        if (isTrial(request)) throw new Error('the shadow store fails')
        return memory.run(request)
      },
    }
  }
  return {
    async: true,
    ping: async () => true,
    close: async () => memory.close(),
    run: async (requests) => {
      if (!requests.some(isTrial)) return requests.map((request) => memory.run(request))
      if (how === 'rejects') throw new Error('the shadow store fails')
      return new Promise(() => {})
    },
  }
}
