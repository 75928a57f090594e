import { setImmediate } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { concurrency, memoryStore } from '../../../src/index.js'
import { createGuard, followHandler } from '../../../src/http/index.js'
import { dial, startHttp1, startHttp2, type Answering } from '../servers.js'
import { noHeaders, response, viewOf, type Options } from '../visit.js'
import { clock, endings, five, limiterOf, site, slots, visit, watchedStore } from './site.js'

describe.each([
  ['HTTP/1', startHttp1],
  ['HTTP/2', startHttp2],
] as const)('%s', (_, begin) => {
  test('releases a lease once, however the response ends', async () => {
    const { store, verbs, memory } = watchedStore()
    const { handler, over } = site(
      { policies: slots, store, key: 'all', releaseOn: 'close' },
      (response, user) => endings[user](response),
    )
    const ask = await begin(handler)
    for (const user of ['good', 'broken', 'cut']) {
      await visit(ask, user)
      await vi.waitFor(() => {
        expect(limiterOf(slots, memory).status('all').policies['default'].used).toBe(0)
      })
    }
    await over(3)
    expect(verbs).toEqual(['consume', 'release', 'consume', 'release', 'consume', 'release'])
  })

  test('holds a lease after the client disconnects, until the promise of the handler settles', async () => {
    const { store, verbs, memory } = watchedStore()
    const used = () => limiterOf(slots, memory).status('all').policies['default'].used
    const ends: ((error?: Error) => void)[] = []
    const { handler, over } = site({ policies: slots, store, key: 'all' }, (response) => {
      const work = new Promise<void>((resolve, reject) =>
        ends.push((error) => (error === undefined ? resolve() : reject(error))),
      )
      followHandler(response, work)
    })
    const ask = await begin(handler)
    for (const error of [undefined, new Error('failed')]) {
      const client = ask()
      await vi.waitFor(() => expect(ends.length).toBe(1))
      client.leave()
      await over(error === undefined ? 1 : 2)
      expect(used()).toBe(1)
      ends.pop()?.(error)
      await vi.waitFor(() => expect(used()).toBe(0))
    }
    expect(verbs).toEqual(['consume', 'release', 'consume', 'release'])
  })

  test('refunds an aborted request when its handler is done, and not earlier', async () => {
    const { store, verbs } = watchedStore()
    let end: () => void = () => {}
    const { handler, over } = site(
      { policies: { slots, five }, store, key: 'all', count: 'successes' },
      (response) => followHandler(response, new Promise<void>((resolve) => (end = resolve))),
    )
    const ask = await begin(handler)
    const client = ask()
    await vi.waitFor(() => expect(verbs).toEqual(['consume']))
    client.leave()
    await over(1)
    expect(verbs).toEqual(['consume'])
    end()
    await vi.waitFor(() => expect(verbs).toEqual(['consume', 'release', 'refundReceipt']))
  })

  test('holds a lease until a handler is done whose promise settles after the response', async () => {
    const { store, verbs } = watchedStore()
    let end: () => void = () => {}
    const { handler, over } = site({ policies: slots, store, key: 'all' }, (response) => {
      followHandler(response, new Promise<void>((resolve) => (end = resolve)))
      response.end('accepted')
    })
    const ask = await begin(handler)
    expect(await ask().whole()).toBe('accepted')
    await over(1)
    expect(verbs).toEqual(['consume'])
    end()
    await vi.waitFor(() => expect(verbs).toEqual(['consume', 'release']))
  })

  test('renews no lease after the end of the connection, and settles when the lease has expired', async () => {
    let renewedAt = Infinity
    const { store, verbs } = watchedStore((verb) => {
      if (verb === 'renew') renewedAt = performance.now()
      return false
    })
    const lease = 150
    const { handler, over } = site(
      { policies: { slots: concurrency({ limit: 1, lease }), five }, store, count: 'successes' },
      () => {},
    )
    const ask = await begin(handler)
    const client = ask()
    await vi.waitFor(() => expect(verbs).toContain('renew'))
    client.leave()
    await over(1)
    const renewals = () => verbs.filter((verb) => verb === 'renew').length
    const before = renewals()
    await vi.waitFor(() => expect(verbs.slice(-2)).toEqual(['release', 'refundReceipt']))
    expect(renewals()).toBe(before)
    expect(performance.now() - renewedAt > lease / 2).toBe(true)
  })
})

test('holds a lease after the client disconnects, until the handler ends the response', async () => {
  const { store, verbs } = watchedStore()
  const left: Answering[] = []
  const { handler, over } = site({ policies: slots, store, key: 'all' }, (response) =>
    left.push(response),
  )
  const ask = await startHttp1(handler)
  const client = ask()
  await vi.waitFor(() => expect(left.length).toBe(1))
  client.leave()
  await over(1)
  expect(verbs).toEqual(['consume'])
  left[0].end('nobody reads this')
  await vi.waitFor(() => expect(verbs).toEqual(['consume', 'release']))
})

test('holds a lease until all handlers of a request are done', async () => {
  const { store, verbs } = watchedStore()
  const ends: (() => void)[] = []
  const { handler, over } = site({ policies: slots, store, key: 'all' }, (response) => {
    for (let i = 0; i < 2; i++) {
      followHandler(response, new Promise<void>((resolve) => ends.push(resolve)))
    }
    response.end()
  })
  const ask = await startHttp1(handler)
  await ask().whole()
  await over(1)
  ends[0]()
  await setImmediate()
  expect(verbs).toEqual(['consume'])
  ends[1]()
  await vi.waitFor(() => expect(verbs).toEqual(['consume', 'release']))
})

test('settles allowed requests only in a dry run', async () => {
  const { store, verbs } = watchedStore()
  const { handler, over, actions } = site(
    {
      policies: concurrency({ limit: 1, lease: '1m' }),
      store,
      dryRun: true,
      key: 'all',
      releaseOn: 'close',
    },
    (response, user) => (user === 'first' ? response.write('some') : response.end()),
  )
  const ask = await startHttp1(handler)
  const first = ask('/first')
  await first.begun()
  await ask('/second').whole()
  await over(1)
  expect(actions.map(({ type, decision }) => [type, decision?.allowed])).toEqual([
    ['continue', true],
    ['continue', false],
  ])
  expect(verbs).toEqual(['consume', 'consume'])
  first.leave()
  await over(2)
  expect(verbs).toEqual(['consume', 'consume', 'release'])
})

test('renews a lease while the response streams, and stops when it ends', async () => {
  const { store, verbs } = watchedStore()
  const lease = 120
  let now = Date.UTC(2026, 0, 1)
  const { handler, actions, over } = site(
    {
      policies: concurrency({ limit: 1, lease }),
      store,
      key: 'all',
      clock: () => now,
      releaseOn: 'close',
    },
    (response) => response.write('event'),
  )
  const ask = await startHttp1(handler)
  const stream = ask()
  await stream.begun()
  const renewals = () => verbs.filter((verb) => verb === 'renew').length
  for (let i = 0; i < 3; i++) {
    const before = renewals()
    await vi.waitUntil(() => renewals() > before)
    now += lease - 1
  }
  await ask().whole()
  stream.leave()
  await over(2)
  expect(actions.map(({ type }) => type)).toEqual(['continue', 'deny'])
  const before = verbs.length
  await new Promise((resolve) => setTimeout(resolve, lease))
  expect(verbs.slice(before)).toEqual([])
  expect(verbs.filter((verb) => verb !== 'renew')).toEqual(['consume', 'consume', 'release'])
})

test('releases the leases of pipelined requests when their client disconnects', async () => {
  const store = memoryStore()
  const { handler, actions } = site(
    { policies: slots, store, key: 'all', releaseOn: 'close' },
    () => {},
  )
  const client = await dial(handler)
  client.write(
    'GET /1 HTTP/1.1\r\nHost: localhost\r\n\r\nGET /2 HTTP/1.1\r\nHost: localhost\r\n\r\n',
  )
  await vi.waitFor(() => expect(actions.length).toBe(2))
  const used = () => limiterOf(slots, store).status('all').policies['default'].used
  expect(used()).toBe(2)
  client.destroy()
  await vi.waitFor(() => expect(used()).toBe(0))
})

test.each<[Options['releaseOn'], string[], string[]]>([
  ['close', ['consume', 'release', 'refundReceipt'], ['consume', 'release', 'refundReceipt']],
  ['done', ['consume'], ['consume', 'release', 'refundReceipt']],
])(
  'refunds on %s if the client disconnected during the call to the store',
  async (releaseOn, first, last) => {
    const { store, verbs } = watchedStore()
    const guard = createGuard({
      policies: { five, slots },
      store,
      key: 'all',
      clock,
      count: 'successes',
      ...(releaseOn && { releaseOn }),
    })
    const gone = { ...response, destroyed: true }
    await guard.check(viewOf({}), gone, noHeaders)
    await setImmediate()
    expect(verbs).toEqual(first)
    followHandler(gone, Promise.resolve())
    await setImmediate()
    expect(verbs).toEqual(last)
  },
)
