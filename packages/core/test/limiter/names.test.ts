import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  leakyBucket,
  memoryStore,
  slidingLog,
  slidingWindow,
  staged,
  tokenBucket,
  unlimited,
  type Limiter,
  type Policies,
  type Store,
} from '../../src/index.js'
import { chosenPerCall } from '../../src/internal.js'
import { errorOf } from '../error-of.js'

const hour = { limit: 5, window: '1h' } as const
const taken = { code: 'SLUICE_NAME_TAKEN' }

function limiterOf(store: Store, policies: Policies, name = 'api'): Limiter {
  return createLimiter({ name, policies, store })
}

const forms: readonly (readonly [string, Policies, Policies])[] = [
  ['another algorithm', slidingWindow(hour), gcra(hour)],
  [
    'another number of buckets',
    slidingWindow({ ...hour, buckets: 6 }),
    slidingWindow({ ...hour, buckets: 10 }),
  ],
  ['another tail', slidingWindow(hour), slidingWindow({ ...hour, tail: 'weighted' })],
  ['a log and leases', slidingLog(hour), concurrency({ limit: 5, lease: '1h' })],
  [
    'other stages',
    staged({ free: fixedWindow(hour), then: gcra(hour) }),
    staged({ free: gcra(hour), then: fixedWindow(hour) }),
  ],
  [
    'another algorithm under one of its names',
    { a: gcra(hour), b: gcra(hour) },
    { b: fixedWindow(hour), c: gcra(hour) },
  ],
]

test.each(forms)('a second limiter of one name and store is refused: %s', (_, one, other) => {
  for (const [first, second] of [
    [one, other],
    [other, one],
  ]) {
    const store = memoryStore()
    limiterOf(store, first)
    expect(errorOf(() => limiterOf(store, second))).toMatchObject(taken)
  }
})

test('the error names the limiter and the policy', () => {
  const store = memoryStore()
  limiterOf(store, { day: gcra(hour) })
  expect(() => limiterOf(store, { day: slidingWindow(hour) })).toThrow('limiter "api"')
  expect(() => limiterOf(store, { day: slidingWindow(hour) })).toThrow('its policy "day"')
})

test.each<[string, Policies, Policies]>([
  ['the same policy', gcra(hour), gcra(hour)],
  ['other numbers', slidingWindow(hour), slidingWindow({ limit: 9, window: '1d' })],
  [
    'gcra and the buckets, which are one form',
    gcra(hour),
    { default: tokenBucket({ capacity: 9, refill: 1, every: '1s' }) },
  ],
  [
    'the two buckets',
    leakyBucket({ capacity: 9, leak: 1, every: '1s' }),
    tokenBucket({ capacity: 9, refill: 1, every: '1s', initial: 1 }),
  ],
  [
    'as many cells',
    slidingWindow({ ...hour, buckets: 6 }),
    slidingWindow({ limit: 5, window: 3_500_000, buckets: 7, tail: 'truncated' }),
  ],
  ['other names of policies', { a: gcra(hour) }, { b: slidingWindow(hour) }],
  ['unlimited', gcra(hour), unlimited()],
  ['policies chosen for each call', gcra(hour), chosenPerCall],
])('a second limiter of one name and store is made: %s', (_, one, other) => {
  for (const [first, second] of [
    [one, other],
    [other, one],
  ]) {
    const store = memoryStore()
    limiterOf(store, first)
    expect(limiterOf(store, second).name).toBe('api')
  }
})

test('other names and other stores are free', () => {
  const store = memoryStore()
  limiterOf(store, gcra(hour))
  limiterOf(store, slidingWindow(hour), 'other')
  limiterOf(memoryStore(), slidingWindow(hour))
  createLimiter({ name: 'api', policies: slidingWindow(hour) })
  createLimiter({ name: 'api', policies: gcra(hour) })
})

test('policies of a call are never refused', () => {
  const store = memoryStore()
  const limiter = limiterOf(store, gcra(hour))
  expect(limiter.consume('key', { policies: slidingWindow(hour) })).toMatchObject({ allowed: true })
  expect(errorOf(() => limiterOf(store, slidingWindow(hour)))).toMatchObject(taken)
})

test('a limiter that is refused claims none of its names', () => {
  const store = memoryStore()
  limiterOf(store, { a: gcra(hour) })
  const refused = { b: gcra(hour), a: slidingWindow(hour) }
  expect(errorOf(() => limiterOf(store, refused))).toMatchObject(taken)
  limiterOf(store, { b: slidingWindow(hour) })
})

describe('close', () => {
  test('frees the names of a limiter', async () => {
    const store = memoryStore()
    await limiterOf(store, gcra(hour)).close()
    limiterOf(store, slidingWindow(hour))
    expect(errorOf(() => limiterOf(store, gcra(hour)))).toMatchObject(taken)
  })

  test('of one of two limiters, even twice, does not free the name of the other', async () => {
    const store = memoryStore()
    const [one, other] = [limiterOf(store, gcra(hour)), limiterOf(store, gcra(hour))]
    await one.close()
    await one.close()
    expect(errorOf(() => limiterOf(store, slidingWindow(hour)))).toMatchObject(taken)
    await other.close()
    limiterOf(store, slidingWindow(hour))
  })
})

test('a limiter that was collected frees its names', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const store = memoryStore()
  limiterOf(store, gcra(hour))
  const isFree = (): boolean => {
    try {
      limiterOf(store, slidingWindow(hour))
      return true
    } catch {
      return false
    }
  }
  expect(isFree()).toBe(false)
  // A collection removes what no job has used since it began.
  for (let tries = 0; tries < 100 && !isFree(); tries++) {
    await delay(1)
    collectGarbage()
  }
  expect(isFree()).toBe(true)
})
