import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  memoryStore,
  type MemoryStore,
} from '../../../src/index.js'
import { createGuard, FetchExchange, type Action } from '../../../src/http/index.js'
import { hasLeft } from '../../../src/http/guard/after-response.js'
import { noHeaders, start, viewOf, type Handler, type Options } from '../visit.js'

const slots = concurrency({ limit: 2, lease: '10s' })
const rate = fixedWindow({ limit: 5, window: '1m' })

interface Exchanged {
  readonly exchange: FetchExchange
  readonly action: Action<Handler> | Promise<Action<Handler>>
  readonly client: AbortController
  /** The signals whose listeners are counted: how many were added and not removed. */
  listeners(): number
  used(): number
}

/** One request with a limit of these options. */
async function exchanged(options: Options, store: MemoryStore = memoryStore()): Promise<Exchanged> {
  const client = new AbortController()
  const add = vi.spyOn(client.signal, 'addEventListener')
  const remove = vi.spyOn(client.signal, 'removeEventListener')
  const clock = (): number => start
  const guard = createGuard<object, Handler>({ key: 'all', store, clock, ...options })
  const exchange = new FetchExchange({ signal: client.signal })
  const { policies = rate } = options
  const limiter = createLimiter({
    name: 'default',
    policies: policies as typeof rate,
    store,
    clock,
  })
  const action = guard.check(viewOf({}), exchange, noHeaders)
  if (options.wait === undefined) await action
  return {
    exchange,
    action,
    client,
    listeners: () => add.mock.calls.length - remove.mock.calls.length,
    used: () => limiter.status('all').policies['default'].used,
  }
}

test('a request that settles nothing never reads its signal', async () => {
  const guard = createGuard<object, Handler>({ limit: 5, window: '1m', key: 'all' })
  const signal = vi.fn()
  const exchange = new FetchExchange({
    get signal() {
      signal()
      return undefined
    },
  })
  void (await guard.check(viewOf({}), exchange, noHeaders))
  expect(exchange.returned({ status: 200, body: null }, true)).toBe(undefined)
  expect([signal.mock.calls.length, exchange.settled]).toEqual([0, undefined])
})

test.each([
  ['failures', 200, 0],
  ['failures', 500, 1],
  ['successes', 200, 1],
  ['successes', 404, 0],
] as const)('%s count after a response of %i', async (count, status, used) => {
  const { exchange, ...request } = await exchanged({ policies: rate, count })
  expect(exchange.settled).toBe(undefined)
  expect(exchange.returned(new Response('hello', { status }), true)).toBe(undefined)
  await exchange.settled
  expect([request.used(), request.listeners()]).toEqual([used, 0])
})

test('a response to a client that has disconnected is aborted', async () => {
  const { exchange, client, used } = await exchanged({ policies: rate, count: 'successes' })
  client.abort()
  exchange.returned(new Response(null), true)
  await exchange.settled
  expect(used()).toBe(0)
})

test('an upgrade is not a failure, although Deno aborts the signal for it', async () => {
  const { exchange, client, used } = await exchanged({ policies: rate, count: 'failures' })
  client.abort()
  exchange.returned({ status: 101, body: null }, false)
  await exchange.settled
  expect(used()).toBe(0)
})

test('a failed handler counts by the status of the error', async () => {
  const { exchange, used } = await exchanged({ policies: rate, count: 'failures' })
  exchange.failed(500)
  await exchange.settled
  expect(used()).toBe(1)
})

describe('a lease', () => {
  test('is released when the body has been read', async () => {
    const { exchange, used, listeners } = await exchanged({ policies: slots })
    const body = exchange.returned(new Response('hello'), true)
    expect(used()).toBe(1)
    expect(await new Response(body).text()).toBe('hello')
    await exchange.settled
    expect([used(), listeners()]).toEqual([0, 0])
  })

  test('is released when the body is cancelled, which cancels the body of the handler', async () => {
    const { exchange, used } = await exchanged({ policies: slots })
    const cancelled = vi.fn()
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(1)),
      cancel: cancelled,
    })
    const reader = exchange.returned(new Response(endless), true)?.getReader()
    await reader?.read()
    expect(used()).toBe(1)
    await reader?.cancel('gone')
    await exchange.settled
    expect([used(), cancelled.mock.calls]).toEqual([0, [['gone']]])
  })

  test('is released when the body fails, and the client sees the failure', async () => {
    const { exchange, used } = await exchanged({ policies: slots })
    const failing = new ReadableStream({
      pull() {
        throw new Error('broken')
      },
    })
    const body = exchange.returned(new Response(failing), true)
    await expect(new Response(body).text()).rejects.toThrow('broken')
    await exchange.settled
    expect(used()).toBe(0)
  })

  test.each<[string, (exchange: FetchExchange) => unknown]>([
    ['is absent', (exchange) => exchange.returned(new Response(null, { status: 204 }), true)],
    ['is not sent', (exchange) => exchange.returned(new Response('for HEAD'), false)],
    ['is that of an error', (exchange) => exchange.failed(500)],
  ])('is released with a response whose body %s', async (_, end) => {
    const { exchange, used } = await exchanged({ policies: slots })
    expect(end(exchange)).toBe(undefined)
    await exchange.settled
    expect(used()).toBe(0)
  })

  test('of a body that cannot be read is released when the adapter reports the failure, which counts once', async () => {
    const counted = vi.fn(() => true)
    const { exchange, used } = await exchanged({ policies: slots, count: counted })
    const over = vi.fn(async () => {})
    exchange.whenOver(over)
    const locked = new Response('hello')
    locked.body?.getReader()
    expect(() => exchange.returned(locked, true)).toThrow(TypeError)
    exchange.failed(500)
    exchange.failed(500)
    await exchange.settled
    expect(used()).toBe(0)
    expect([over.mock.calls, counted.mock.calls]).toEqual([
      [[{ status: 500, aborted: false }]],
      [[{ status: 500, aborted: false }]],
    ])
  })

  test('is released one lease after a response whose body nothing reads', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const { exchange, used } = await exchanged({ policies: slots })
    exchange.returned(new Response('replaced'), true)
    await vi.advanceTimersByTimeAsync(9999)
    expect(used()).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(used()).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('of a client that disconnects lasts until the handler is done', async () => {
    const { exchange, client, used, listeners } = await exchanged({ policies: slots })
    client.abort()
    await turn()
    expect(used()).toBe(1)
    expect(exchange.returned(new Response('late'), true)).toBe(undefined)
    await exchange.settled
    expect([used(), listeners()]).toEqual([0, 0])
  })

  test("of a client that disconnects is released at once, with releaseOn: 'close'", async () => {
    const store = memoryStore()
    const run = vi.spyOn(store, 'run')
    const { exchange, client, used } = await exchanged(
      { policies: slots, releaseOn: 'close' },
      store,
    )
    client.abort()
    await exchange.settled
    expect(used()).toBe(0)
    exchange.returned(new Response(null), true)
    await exchange.settled
    expect(run.mock.calls.filter(([{ verb }]) => verb === 'release').length).toBe(1)
  })
})

test('a wait ends when the client disconnects, and consumes nothing', async () => {
  const store = memoryStore()
  const policies = fixedWindow({ limit: 1, window: '1m' })
  createLimiter({ name: 'default', policies, store, clock: () => start }).consume('all')
  const { exchange, action, client, used, listeners } = await exchanged(
    { policies, wait: { max: '2m' } },
    store,
  )
  await turn()
  expect(listeners()).toBe(1)
  client.abort()
  expect(await action).toMatchObject({ type: 'deny', status: 499 })
  expect([used(), listeners(), exchange.settled]).toEqual([1, 0, undefined])
})

test('a client whose signal aborts in the next turn of the event loop has left', async () => {
  const leaving = new AbortController()
  setTimeout(() => leaving.abort())
  const stays = new FetchExchange({ signal: new AbortController().signal })
  const left = await Promise.all([
    hasLeft(new FetchExchange({ signal: leaving.signal })),
    hasLeft(stays),
    hasLeft(new FetchExchange({})),
  ])
  expect(left).toEqual([true, false, false])
})
