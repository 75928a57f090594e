import type { FastifyReply, FastifyRequest } from 'fastify'
import { expect, test, vi } from 'vitest'
import { concurrency, createLimiter, memoryStore, RateLimit, rateLimit } from '../src/index.js'
import { create, serve } from './apps.js'

const policy = concurrency({ limit: 1, lease: '1m' })

/** The options of a limiter, and how many of its units are held. */
function counted() {
  const store = memoryStore()
  const limiter = createLimiter({ name: 'app', policies: policy, store })
  return {
    options: { name: 'app', policy, store, key: 'all' },
    held: () => limiter.status('all').policies['default'].used,
  }
}

/** Handlers that are held until they are let go, and how many responses have closed. */
function held() {
  const ends: (() => void)[] = []
  const closed: boolean[] = []
  return {
    ends,
    closed,
    hold: async ({ raw }: FastifyReply) => {
      raw.once('close', () => closed.push(true))
      await new Promise<void>((resolve) => ends.push(resolve))
    },
  }
}

test('a handler that has answered is done when its promise settles', async () => {
  const { options, held: units } = counted()
  const { hold, ends, closed } = held()
  const app = create()
  await app.register(rateLimit, options)
  app.get('/', async (_request, reply) => {
    void reply.send('accepted')
    await hold(reply)
    return reply
  })
  const send = await serve(app)
  expect((await send()).body).toBe('accepted')
  await vi.waitUntil(() => closed.length === 1)
  expect(units()).toBe(1)
  ends[0]()
  await vi.waitFor(() => expect(units()).toBe(0))
})

test('a method of a class is done when its promise settles, though the client has left', async () => {
  const { options, held: units } = counted()
  const { hold, ends, closed } = held()
  class Reports {
    @RateLimit(options)
    async create(_request: FastifyRequest, reply: FastifyReply) {
      await hold(reply)
      return 'nobody reads this'
    }
  }
  const reports = new Reports()
  const app = create()
  app.get('/', reports.create.bind(reports))
  const send = await serve(app)
  const leaving = new AbortController()
  const gone = send('/', { signal: leaving.signal })
  await vi.waitUntil(() => ends.length === 1)
  leaving.abort()
  await expect(gone).rejects.toThrow()
  await vi.waitUntil(() => closed.length === 1)
  expect(units()).toBe(1)
  ends[0]()
  await vi.waitFor(() => expect(units()).toBe(0))
})

test.each([
  ['that was added before the plugin was loaded', false],
  ['that returns no promise', true],
])('a handler of a route %s is done when it has sent', async (_, isLoaded) => {
  const { options, held: units } = counted()
  const { hold, ends, closed } = held()
  const app = create()
  const loading = app.register(rateLimit, options)
  if (isLoaded) await loading
  app.get('/', (_request, reply) => void hold(reply).then(() => reply.send('nobody reads this')))
  const send = await serve(app)
  const leaving = new AbortController()
  const gone = send('/', { signal: leaving.signal })
  await vi.waitUntil(() => ends.length === 1)
  leaving.abort()
  await expect(gone).rejects.toThrow()
  await vi.waitUntil(() => closed.length === 1)
  expect(units()).toBe(1)
  ends[0]()
  await vi.waitFor(() => expect(units()).toBe(0))
})
