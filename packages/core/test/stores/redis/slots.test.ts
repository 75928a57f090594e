import { beforeEach, describe, expect, test } from 'vitest'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  memoryStore,
  notLimited,
  SluiceError,
  tokenBucket,
  type AsyncStore,
  type Limiter,
  type Policies,
  type SyncStore,
} from '../../../src/index.js'
import type { Answer, StoreRequest } from '../../../src/stores/store.js'
import { acrossSlots } from '../../../src/stores/redis/slots.js'

/** Each key has a slot of its own. */
const keys = { first: 'a', second: 'b', third: 'c' }

let calls: string[]
/** Runs before each request, and can answer it. */
let intercept: (request: StoreRequest) => Answer | undefined
let memory: ReturnType<typeof memoryStore>
let store: AsyncStore

beforeEach(() => {
  calls = []
  intercept = () => undefined
  memory = memoryStore()
  const runIn = (kind: string) => async (requests: readonly StoreRequest[]) =>
    requests.map((request) => {
      calls.push(`${kind}${request.verb} ${request.keys.join(' ')}`)
      return intercept(request) ?? memory.run(request)
    })
  store = {
    async: true,
    run: acrossSlots(runIn(''), runIn('undo: '), (key) => key.codePointAt(0) ?? 0),
    ping: async () => true,
    close: async () => {},
  }
})

/** A limiter across slots, and one of the same counts that asks the memory itself. */
function limitersOf(policies: Policies) {
  const options = { name: 'slots', policies, onStoreError: 'deny' } as const
  return {
    limiter: createLimiter({ ...options, store }),
    direct: createLimiter({ ...options, store: memory }),
  }
}

function hourly(limit = 5) {
  const policy = fixedWindow({ limit, window: '1h' })
  return { first: policy, second: policy, third: policy }
}

/** The key of this policy. The others do not apply. */
function only(name: keyof typeof keys) {
  return { first: notLimited, second: notLimited, third: notLimited, [name]: keys[name] }
}

function remainingOf(direct: Limiter<SyncStore>): readonly number[] {
  return Object.values(direct.peek(keys).policies).map(({ remaining }) => remaining)
}

/** Does something once, before the first request that this text names. */
function before(call: string, act: () => Answer | void): void {
  intercept = ({ verb, keys: [key] }) => {
    if (`${verb} ${key}` !== call) return undefined
    intercept = () => undefined
    return act() ?? undefined
  }
}

const error = new SluiceError('SLUICE_STORE_FAILED', 'gone')

describe('a consumption', () => {
  test('takes its units in each slot, after a peek in all of them', async () => {
    const { limiter, direct } = limitersOf(hourly())
    const decision = await limiter.consume(keys, { cost: { first: 1, second: 2, third: 3 } })
    expect(decision.allowed).toBe(true)
    expect(Object.values(decision.policies).map(({ remaining }) => remaining)).toEqual([4, 3, 2])
    expect(calls).toEqual(
      ['peek', 'consume'].flatMap((verb) => [`${verb} a`, `${verb} b`, `${verb} c`]),
    )
    expect(remainingOf(direct)).toEqual([4, 3, 2])
  })

  test('that a slot denies takes nothing, and asks no slot that allows it', async () => {
    const { limiter, direct } = limitersOf(hourly())
    direct.penalize(only('second'), 5)
    const decision = await limiter.consume(keys)
    expect([decision.allowed, decision.deniedBy]).toEqual([false, ['second']])
    expect(calls).toEqual(['peek a', 'peek b', 'peek c', 'consume b'])
    expect(remainingOf(direct)).toEqual([5, 0, 5])
  })

  test('starts the block of each slot that denies it', async () => {
    const blocking = fixedWindow({ limit: 5, window: '1h', block: { for: '2h', on: 'exceeded' } })
    const { limiter, direct } = limitersOf({ ...hourly(), second: blocking, third: blocking })
    direct.penalize({ ...keys, first: notLimited }, 5)
    expect((await limiter.consume(keys)).deniedBy).toEqual(['second', 'third'])
    const { policies } = direct.status(keys)
    expect(Object.values(policies).map(({ blockedMs }) => blockedMs > 0)).toEqual([
      false,
      true,
      true,
    ])
  })

  test('that a slot denies after the peek is refunded in the slots before it, and not sent to those behind it', async () => {
    const { limiter, direct } = limitersOf(hourly())
    before('consume b', () => direct.penalize(only('second'), 5))
    const decision = await limiter.consume(keys, { cost: 2 })
    expect([decision.allowed, decision.deniedBy]).toEqual([false, ['second']])
    expect(calls.slice(3)).toEqual([
      'consume a',
      'consume b',
      'undo: refundReceipt a',
      'peek a',
      'peek c',
    ])
    expect(remainingOf(direct)).toEqual([5, 0, 5])
  })

  test('is denied if a slot denied it in the peek, also if it would be allowed a moment later', async () => {
    const { limiter, direct } = limitersOf(hourly())
    direct.penalize(only('second'), 5)
    before('consume b', () => void direct.reset(keys))
    expect((await limiter.consume(keys)).allowed).toBe(false)
    expect(calls.at(-1)).toBe('undo: refundReceipt b')
    expect(remainingOf(direct)).toEqual([5, 5, 5])
  })

  test('that fails in a slot is refunded in the slots before it, and is an error', async () => {
    const { limiter, direct } = limitersOf(hourly())
    before('consume c', () => error)
    expect((await limiter.consume(keys)).source).toBe('closed')
    expect(calls.slice(3)).toEqual([
      'consume a',
      'consume b',
      'consume c',
      'undo: refundReceipt a',
      'undo: refundReceipt b',
    ])
    expect(remainingOf(direct)).toEqual([5, 5, 5])
  })

  test('that fails in the peek takes nothing, and is an error', async () => {
    const { limiter } = limitersOf(hourly())
    before('peek b', () => error)
    expect((await limiter.consume(keys)).source).toBe('closed')
    expect(calls).toEqual(['peek a', 'peek b', 'peek c'])
  })

  test('of an exempt key refunds only what it has taken', async () => {
    const { limiter, direct } = limitersOf(hourly())
    direct.exempt(only('first'), '1h')
    before('consume c', () => direct.penalize(only('third'), 5))
    expect((await limiter.consume(keys)).deniedBy).toEqual(['third'])
    expect(calls.filter((call) => call.startsWith('undo'))).toEqual(['undo: refundReceipt b'])
    expect(remainingOf(direct)).toEqual([5, 5, 0])
  })

  test('that is denied keeps the first row of each bucket that begins with fewer units', async () => {
    const bucket = tokenBucket({ capacity: 10, refill: 1, every: '1h', initial: 2 })
    const { limiter, direct } = limitersOf({ ...hourly(), first: bucket })
    direct.penalize(only('second'), 5)
    await limiter.consume(keys)
    expect(calls).toEqual(['peek a', 'peek b', 'peek c', 'consume b', 'consume a'])
    expect(remainingOf(direct)).toEqual([2, 0, 5])
  })
})

test('a reset changes no slot while a key is blocked, unless it unblocks', async () => {
  const { limiter, direct } = limitersOf(hourly())
  direct.penalize(keys, 2)
  direct.block(only('second'), '1h')
  expect(await limiter.reset(keys)).toBe(false)
  expect(calls).toEqual(['peek a', 'peek b', 'peek c'])
  expect(await limiter.reset(keys, { unblock: true })).toBe(true)
  expect(calls.slice(3)).toEqual(['reset a', 'reset b', 'reset c'])
  direct.penalize(keys, 2)
  expect(await limiter.reset(keys)).toBe(true)
  expect(remainingOf(direct)).toEqual([5, 5, 5])
})

test('a lease of one slot is renewed and released, and only while it is held', async () => {
  const { limiter } = limitersOf({ ...hourly(), third: concurrency({ limit: 2, lease: '1m' }) })
  const { lease } = await limiter.consume(keys)
  const id = lease?.id ?? ''
  expect(await limiter.renew(keys, id)).toBe(true)
  expect(await limiter.release(keys, id)).toBe(true)
  expect(await limiter.release(keys, id)).toBe(false)
  expect(await limiter.renew(keys, id)).toBe(false)
})
