import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { concurrency, createLimiter, memoryStore, RateLimit, rateLimit } from '../src/index.js'
import { appOf, frameworks } from './apps.js'

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

type App = Parameters<typeof createServer>[1]

/** Sends a request to a server of its own. */
async function visit(app: App, signal: AbortSignal | null = null): Promise<string> {
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return (await fetch(`http://127.0.0.1:${port}/`, { signal })).text()
}

/** Sends a request, and disconnects when the handler has the response. */
async function leave(app: App, arrived: () => boolean) {
  const leaving = new AbortController()
  const gone = visit(app, leaving.signal)
  await vi.waitUntil(arrived, { interval: 5 })
  leaving.abort()
  await expect(gone).rejects.toThrow()
}

describe.each(frameworks)('%s', (_, create) => {
  test('a method of a class is done when its promise settles, even if it ends no response', async () => {
    const { options, held } = counted()
    const ends: (() => void)[] = []
    const closed: boolean[] = []
    class Reports {
      @RateLimit(options)
      async create(_request: Request, response: Response, _next: NextFunction) {
        response.once('close', () => closed.push(true))
        await new Promise<void>((resolve) => ends.push(resolve))
      }
    }
    const reports = new Reports()
    const app = create().get('/', (request, response, next) => {
      void reports.create(request, response, next)
    })
    await leave(app, () => ends.length === 1)
    await vi.waitUntil(() => closed.length === 1, { interval: 5 })
    expect(held()).toBe(1)
    ends[0]()
    await vi.waitFor(() => expect(held()).toBe(0), { interval: 5 })
  })

  test('a handler is done when it ends the response, even if the client has disconnected', async () => {
    const { options, held } = counted()
    const ends: (() => void)[] = []
    const closed: boolean[] = []
    const app = appOf(create, rateLimit(options), (_request: Request, response: Response) => {
      response.once('close', () => closed.push(true))
      ends.push(() => response.send('nobody reads this'))
    })
    await leave(app, () => ends.length === 1)
    await vi.waitUntil(() => closed.length === 1, { interval: 5 })
    expect(held()).toBe(1)
    ends[0]()
    expect(held()).toBe(0)
  })

  test.each<[string, RequestHandler]>([
    ['destroys the response', (_request, response) => response.destroy()],
    ['destroys the response with an error', (_request, response) => response.destroy(new Error())],
    [
      'sends a stream that fails',
      (_request, response) => {
        pipeline(Readable.from(failing()), response, () => {})
      },
    ],
    [
      'fails after it has begun a response',
      (_request, response, next) => {
        response.write('begun')
        next(new Error('broken'))
      },
    ],
  ])('a handler is done when it %s', async (_name, handler) => {
    const { options, held } = counted()
    const app = appOf(create, rateLimit(options), handler)
    await expect(visit(app)).rejects.toThrow()
    await vi.waitFor(() => expect(held()).toBe(0), { interval: 5 })
  })

  test('a handler may continue after a timeout of the server', async () => {
    const { options, held } = counted()
    const closed: boolean[] = []
    const app = appOf(create, rateLimit(options), ({ socket }: Request, response: Response) => {
      response.once('close', () => closed.push(true))
      // As the server does for each connection that its option "timeout" concerns.
      socket.setTimeout(20)
    })
    await expect(visit(app)).rejects.toThrow()
    await vi.waitUntil(() => closed.length === 1, { interval: 5 })
    expect(held()).toBe(1)
  })
})

async function* failing() {
  yield 'part'
  throw new Error('broken')
}
