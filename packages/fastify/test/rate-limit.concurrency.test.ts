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
    options: { name: 'app', policies: policy, store, key: 'all' },
    held: () => limiter.status('all').policies['default'].used,
  }
}

/** Handlers that wait until the test ends them, and the closed responses. */
function pendingHandlers() {
  const ends: (() => void)[] = []
  const closed: boolean[] = []
  return {
    ends,
    closed,
    hold: async ({ raw }: FastifyReply) => {
      raw.once('close', () => closed.push(true))
      await new Promise<void>((resolve) => ends.push(resolve))
    } /** Sends a request, and closes the connection when its handler has begun. */,
    async disconnect(send: Awaited<ReturnType<typeof serve>>) {
      const leaving = new AbortController()
      const gone = send('/', { signal: leaving.signal })
      await vi.waitUntil(() => ends.length === 1, { interval: 5 })
      leaving.abort()
      await expect(gone).rejects.toThrow()
      await vi.waitUntil(() => closed.length === 1, { interval: 5 })
    },
  }
}

test('a handler that has sent its response is done when its promise settles', async () => {
  const { options, held } = counted()
  const { hold, ends, closed } = pendingHandlers()
  const app = create()
  await app.register(rateLimit, options)
  app.get('/', async (_request, reply) => {
    void reply.send('accepted')
    await hold(reply)
    return reply
  })
  const send = await serve(app)
  expect((await send()).body).toBe('accepted')
  await vi.waitUntil(() => closed.length === 1, { interval: 5 })
  expect(held()).toBe(1)
  ends[0]()
  await vi.waitFor(() => expect(held()).toBe(0), { interval: 5 })
})

test('a query builder that a handler returns runs its query once', async () => {
  const { options, held } = counted()
  const query = vi.fn<() => string>(() => 'rows')
  const app = create()
  await app.register(rateLimit, options)
  app.get('/', () => ({ then: (resolve: (rows: string) => void) => resolve(query()) }))
  const send = await serve(app)
  expect((await send()).body).toBe('rows')
  await vi.waitFor(() => expect(held()).toBe(0), { interval: 5 })
  expect(query).toHaveBeenCalledTimes(1)
})

test('a method of a class is done when its promise settles, even if the client has disconnected', async () => {
  const { options, held } = counted()
  const { hold, ends, disconnect } = pendingHandlers()
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
  await disconnect(send)
  expect(held()).toBe(1)
  ends[0]()
  await vi.waitFor(() => expect(held()).toBe(0), { interval: 5 })
})

test.each([
  ['that was added before the plugin was loaded', false],
  ['that returns no promise', true],
])('a handler of a route %s is done when it has sent its response', async (_, isLoaded) => {
  const { options, held } = counted()
  const { hold, ends, disconnect } = pendingHandlers()
  const app = create()
  const loading = app.register(rateLimit, options)
  if (isLoaded) await loading
  app.get('/', (_request, reply) => void hold(reply).then(() => reply.send('nobody reads this')))
  const send = await serve(app)
  await disconnect(send)
  expect(held()).toBe(1)
  ends[0]()
  await vi.waitFor(() => expect(held()).toBe(0), { interval: 5 })
})
