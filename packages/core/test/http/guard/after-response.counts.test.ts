import process from 'node:process'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { fixedWindow, memoryStore } from '../../../src/index.js'
import { createGuard, type ResponseOutcome } from '../../../src/http/index.js'
import { startHttp1, startHttp2, type Answering } from '../servers.js'
import { noHeaders, response, viewOf, type Options } from '../visit.js'
import { clock, endings, five, limiterOf, site, slots, visit, watchedStore } from './site.js'

describe.each([
  ['HTTP/1', startHttp1],
  ['HTTP/2', startHttp2],
] as const)('%s', (_, begin) => {
  test.each<[Options['count'], Record<string, number>]>([
    ['all', { good: 1, moved: 1, bad: 1, broken: 1, cut: 1 }],
    ['failures', { good: 0, moved: 0, bad: 1, broken: 1, cut: 1 }],
    ['successes', { good: 1, moved: 1, bad: 0, broken: 0, cut: 0 }],
    [({ status }) => status !== 400, { good: 1, moved: 1, bad: 0, broken: 1, cut: 1 }],
    [async ({ aborted }) => aborted, { good: 0, moved: 0, bad: 0, broken: 0, cut: 1 }],
  ])('counts %s by the response to a request', async (count, used) => {
    const store = memoryStore()
    const limiter = limiterOf(five, store)
    const { handler, over } = site(
      { policies: five, store, ...(count && { count }) },
      (res, user) => endings[user](res),
    )
    const ask = await begin(handler)
    // The units of other requests stay: a second refund would return them.
    for (const user of Object.keys(endings)) limiter.consume(user, { cost: 3 })
    for (const user of Object.keys(endings)) await visit(ask, user)
    await over(5)
    const seen = Object.keys(endings).map((user) => [user, limiter.status(user)] as const)
    expect(
      Object.fromEntries(seen.map(([user, { policies }]) => [user, policies['default'].used - 3])),
    ).toEqual(used)
  })
})

test('consumes at the start, so that a parallel burst cannot exceed the limit', async () => {
  const store = memoryStore()
  const waiting: Answering[] = []
  const { handler, actions, over } = site(
    { policies: fixedWindow({ limit: 3, window: '1m' }), store, count: 'failures', key: 'all' },
    (response) => waiting.push(response),
  )
  const ask = await startHttp1(handler)
  const answers = [1, 2, 3, 4, 5].map(async () => ask('/x').whole())
  await vi.waitFor(() => expect(actions.length).toBe(5))
  expect(actions.map(({ type }) => type).sort()).toEqual([
    'continue',
    'continue',
    'continue',
    'deny',
    'deny',
  ])
  for (const response of waiting) response.end()
  await Promise.all(answers)
  await over(5)
  expect(limiterOf(five, store).status('all').policies['default'].used).toBe(0)
})

test('passes the outcome of the request to the function', async () => {
  const outcomes: ResponseOutcome[] = []
  const { handler, over } = site(
    { policies: five, count: (outcome) => outcomes.push(outcome) > 0 },
    (response, user) => endings[user](response),
  )
  const ask = await startHttp1(handler)
  for (const user of ['good', 'bad', 'cut']) await visit(ask, user)
  await over(3)
  expect(outcomes).toEqual([
    { status: 200, aborted: false },
    { status: 400, aborted: false },
    { status: 200, aborted: true },
  ])
})

const boom = new Error('boom')
test.each<[string, () => boolean | PromiseLike<boolean>, string]>([
  [
    'throws',
    () => {
      throw boom
    },
    'boom',
  ],
  ['rejects', () => Promise.reject(boom), 'boom'],
  [
    'throws a value that is not an error',
    () => {
      throw Object.create(null)
    },
    '[Object: null prototype] {}',
  ],
])('counts the request and warns if the function %s', async (_, count, message) => {
  const messages = warnings()
  const store = memoryStore()
  const { handler, over } = site({ policies: five, store, count, key: 'all' }, (response) =>
    response.end(),
  )
  const ask = await startHttp1(handler)
  await ask().whole()
  await over(1)
  expect(messages.filter((text) => !text.startsWith('rateLimit'))).toEqual([message])
  expect(limiterOf(five, store).status('all').policies['default'].used).toBe(1)
})

test('warns if the store fails after the response, and the process continues', async () => {
  const messages = warnings()
  const { store } = watchedStore((verb) => verb !== 'consume')
  const { handler, over } = site(
    { policies: { slots, five }, store, count: 'failures', resetOn: 'success' },
    (response) => response.end(),
  )
  const ask = await startHttp1(handler)
  await ask().whole()
  await over(1)
  expect(messages.filter((text) => !text.startsWith('rateLimit'))).toEqual([
    expect.stringContaining('closed'),
  ])
})

test('adds no listener to a response that needs no settlement', async () => {
  const listened: string[] = []
  const once = (event: string) => void listened.push(event)
  const guard = createGuard({ policies: five, key: 'all', clock })
  await guard.check(viewOf({}), { ...response, once }, noHeaders)
  expect(listened).toEqual([])
})

/** The messages of process warnings from now on. */
function warnings(): string[] {
  const messages: string[] = []
  const warned = ({ message }: Error) => void messages.push(message)
  process.on('warning', warned)
  onTestFinished(() => void process.off('warning', warned))
  return messages
}
