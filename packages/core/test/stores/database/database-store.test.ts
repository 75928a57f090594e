import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { MapDatabase, type MapRow } from '@sluice/test-kit/map-database'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  slidingLog,
  unlimited,
  type AsyncStore,
  type Decision,
  type Limiter,
  type Policies,
  type StoreErrorEvent,
} from '../../../src/index.js'
import { databaseStore, type Database, type Span } from '../../../src/stores/database/index.js'
import { packStates } from '../../../src/stores/database/state-bytes.js'
import { errorOf, rejectionOf } from '../../error-of.js'
import { deferred, holdTime, pass, releaseTime } from '../pipeline/stub-store.js'
import { toldOn } from '@sluice/test-kit/told-on'

const minute = fixedWindow({ limit: 5, window: '1m' })

function limiterOver(
  database: Database,
  policies: Policies = minute,
  store: AsyncStore = databaseStore(database, { timeout: '10s' }),
): Limiter<AsyncStore> {
  return createLimiter({ name: 'api', policies, store, onStoreError: 'deny', denyCache: false })
}

/** Waits for the time that the test holds. */
async function after(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms))
}

describe('round trips', () => {
  test('the first request of a process loads and saves; then a new or remembered key is saved at once', async () => {
    const database = new MapDatabase()
    const limiter = limiterOver(database)
    await limiter.consume('first')
    expect(database.calls).toMatchObject({ load: 1, save: 1 })
    for (const key of ['second', 'second', 'first']) await limiter.consume(key)
    expect(database.calls).toMatchObject({ load: 1, save: 4 })
  })

  test('a denial by a remembered row and a peek ask the database', async () => {
    const rows = new Map()
    const limiter = limiterOver(new MapDatabase({ rows }))
    const other = limiterOver(new MapDatabase({ rows }))
    for (let i = 0; i < 5; i++) await limiter.consume('key')
    await other.reset('key')
    expect((await limiter.peek('key')).remaining).toBe(5)
    for (let i = 0; i < 5; i++) await limiter.consume('key')
    await other.reset('key')
    expect(await limiter.consume('key')).toMatchObject({ allowed: true, remaining: 4 })
  })

  test('a refund of two keys, of which the process remembers one, refunds both', async () => {
    const rows = new Map()
    const policies = { user: minute, team: minute }
    const limiter = limiterOver(new MapDatabase({ rows }), policies)
    const other = limiterOver(new MapDatabase({ rows }), policies)
    await other.consume({ user: 'ann', team: 'red' })
    await limiter.consume('red')
    await limiter.refund({ user: 'ann', team: 'red' }, 1)
    const left = await limiter.peek({ user: 'ann', team: 'red' })
    expect(left.policies).toMatchObject({ user: { remaining: 5 }, team: { remaining: 4 } })
  })

  test('one key of a call does not deny it by a remembered row, while another key is saved', async () => {
    const rows = new Map()
    const policies = { user: minute, team: minute }
    const limiter = limiterOver(new MapDatabase({ rows }), policies)
    const other = limiterOver(new MapDatabase({ rows }), policies)
    for (let i = 0; i < 5; i++) await limiter.consume('red')
    await other.reset('red')
    const [both, alone] = await limiter.consumeMany([
      { key: { user: 'ann', team: 'red' } },
      { key: 'ann' },
    ])
    expect(both).toMatchObject({ allowed: true, remaining: 4 })
    expect(alone).toMatchObject({ allowed: true, remaining: 3 })
  })

  test('a policy that counts nothing has no row, so its keys need no further calls', async () => {
    const database = new MapDatabase()
    const limiter = limiterOver(database, { plan: unlimited(), user: minute })
    for (let i = 0; i < 3; i++) {
      const decision = await limiter.consume({ plan: `any ${i}`, user: 'ann' })
      expect(decision).toMatchObject({ allowed: true, remaining: 4 - i })
    }
    expect(database.rows.size).toBe(1)
    expect(database.calls).toMatchObject({ load: 1, save: 3 })
  })

  test('a row that was loaded, and the current row of a refused save, are remembered', async () => {
    const rows = new Map()
    const database = new MapDatabase({ rows })
    const limiter = limiterOver(database)
    const other = limiterOver(new MapDatabase({ rows }))
    await other.consume('key')
    await limiter.peek('key')
    await limiter.consume('key')
    expect(database.calls).toMatchObject({ load: 1, save: 1 })
    await other.consume('key')
    await limiter.consume('key')
    expect(database.calls).toMatchObject({ load: 1, save: 3 })
    await other.consume('key')
    // The refused save shows the limit, so the next denial only loads.
    expect((await limiter.consume('key')).allowed).toBe(false)
    expect((await limiter.consume('key')).allowed).toBe(false)
    expect(database.calls).toMatchObject({ load: 2, save: 4 })
  })

  test('no save of a single process is refused, and its span is the time of the decision', async () => {
    const map = new MapDatabase()
    const spans: Span[] = []
    const limiter = limiterOver({
      name: 'map',
      load: (keys) => map.load(keys),
      save(groups, span) {
        spans.push(span)
        return map.save(groups, span)
      },
    })
    const before = Date.now() - 2
    for (let i = 0; i < 400; i++) await limiter.consume(['key', i % 100])
    expect(spans).toHaveLength(400)
    expect(Math.min(...spans.map(({ from }) => from))).toBeGreaterThanOrEqual(before)
    expect(Math.max(...spans.map(({ until }) => until))).toBeLessThanOrEqual(Date.now() + 10_010)
  })

  /** A database whose time the test moves, and a limiter whose process knows the time. */
  async function timed(rows = new Map<string, MapRow>()) {
    let ahead = 0
    const database = new MapDatabase({ rows, clock: () => Date.now() + ahead })
    const limiter = limiterOver(database)
    const pass = async (ms: number): Promise<void> => {
      ahead += ms
      await limiter.peek('other')
      database.calls.load = 0
      database.calls.save = 0
    }
    await pass(0)
    return { database, limiter, pass }
  }

  // The end of a row that was loaded is not known from a save.
  test.each(['saved', 'loaded'])(
    'a remembered row that was %s ends, so that a key that returns is saved at once',
    async (last) => {
      for (const isCleaned of [true, false]) {
        const { database, limiter, pass } = await timed()
        for (let i = 0; i < 5; i++) await limiter.consume('key')
        if (last === 'loaded') expect((await limiter.consume('key')).allowed).toBe(false)
        await pass(62_000)
        if (isCleaned) {
          await database.clean()
          expect(database.rows.size).toBe(0)
        }
        expect(await limiter.consume('key')).toMatchObject({ allowed: true, remaining: 4 })
        expect(database.calls).toMatchObject({ load: 0, save: 1 })
      }
    },
  )

  test('a remembered row that has ended does not replace the one that another process has saved', async () => {
    const { database, limiter, pass } = await timed()
    await limiter.consume('key')
    await pass(62_000)
    const other = await timed(database.rows)
    await other.pass(62_000)
    await other.limiter.consume('key')
    expect((await limiter.consume('key')).remaining).toBe(3)
    expect(database.calls).toMatchObject({ load: 0, save: 2 })
  })

  test('a remembered row does not end before the last of its parts', async () => {
    const { database, pass } = await timed()
    const policies = { short: minute, long: fixedWindow({ limit: 9, window: '1h' }) }
    const both = limiterOver(database, policies)
    await both.consume('key')
    await both.peek('key')
    await pass(62_000)
    await both.peek('other')
    database.calls.save = 0
    const decision = await both.consume('key')
    expect(decision).toMatchObject({
      policies: { short: { remaining: 4 }, long: { remaining: 7 } },
    })
    expect(database.calls.save).toBe(1)
  })

  test('one deletion of ended rows runs at a time', async () => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(0)
    onTestFinished(() => random.mockRestore())
    const map = new MapDatabase()
    let deletions = 0
    const limiter = limiterOver({
      name: 'map',
      load: (keys) => map.load(keys),
      save: (groups, span) => map.save(groups, span),
      clean() {
        deletions++
        return new Promise(() => {})
      },
    })
    for (let i = 0; i < 5; i++) await limiter.consume('key')
    expect(deletions).toBe(1)
  })

  test.each([
    ['returns no promise', (): undefined => undefined],
    [
      'throws',
      (): never => {
        throw new Error('no rights')
      },
    ],
  ])('a deletion that %s is repeated', async (_, clean) => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(0)
    onTestFinished(() => random.mockRestore())
    const map = new MapDatabase()
    let deletions = 0
    const database: Omit<Database, 'clean'> & { clean(): unknown } = {
      name: 'map',
      load: (keys) => map.load(keys),
      save: (groups, span) => map.save(groups, span),
      clean() {
        deletions++
        return clean()
      },
    }
    const limiter = limiterOver(database as Database)
    for (let i = 0; i < 3; i++) {
      expect(await limiter.consume('key')).toMatchObject({ source: 'store', remaining: 4 - i })
    }
    expect(deletions).toBe(3)
  })

  test('without remembered rows, each row is loaded before it is saved', async () => {
    const database = new MapDatabase()
    const limiter = limiterOver(database, minute, databaseStore(database, { rememberedRows: 0 }))
    for (let i = 0; i < 3; i++) await limiter.consume('key')
    expect(database.calls).toMatchObject({ load: 3, save: 3 })
  })

  test('requests for a key that is under way wait, and go together', async () => {
    const database = new MapDatabase({ before: () => delay(5) })
    const limiter = limiterOver(database)
    const decisions = await Promise.all(Array.from({ length: 100 }, () => limiter.consume('key')))
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(5)
    // The first alone, then those that had to wait for it. A denial saves nothing.
    expect(database.calls.save).toBe(2)
  })

  test('a request that changes nothing saves nothing', async () => {
    const database = new MapDatabase()
    const limiter = limiterOver(database, fixedWindow({ limit: 0, window: '1m' }))
    await limiter.consume('key')
    await limiter.unblock('key')
    await limiter.unexempt('key')
    await limiter.reset('key')
    expect(database.calls.save).toBe(0)
  })

  test('an exempt request saves nothing, also about a key that has no other row', async () => {
    const database = new MapDatabase()
    const limiter = limiterOver(database)
    await limiter.consume('key')
    for (const key of ['key', 'new']) await limiter.exempt(key, '1h')
    const { save } = database.calls
    for (const key of ['key', 'new']) {
      expect(await limiter.consume(key, { cost: 9 })).toMatchObject({ exempt: true })
    }
    expect(database.calls.save).toBe(save)
  })
})

describe('several processes', () => {
  test('count together exactly, whatever the order of their calls', async () => {
    const rows = new Map()
    const pause = (): Promise<void> => delay(Math.random() * 3)
    const limiters = Array.from({ length: 4 }, () => {
      const database = new MapDatabase({ rows, before: pause, after: pause })
      return limiterOver(database, {
        both: fixedWindow({ limit: 150, window: '1h' }),
        each: fixedWindow({ limit: 45, window: '1h' }),
      })
    })
    const decisions = await Promise.all(
      limiters.flatMap((limiter) =>
        Array.from({ length: 100 }, async (_, n) => {
          await delay(Math.random() * 30)
          return limiter.consume({ both: 'all', each: ['part', n % 4] })
        }),
      ),
    )
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(150)
    for (let part = 0; part < 4; part++) {
      const { policies } = await limiters[0].status({ both: 'all', each: ['part', part] })
      expect(policies['both'].used).toBe(150)
      expect(policies['each'].used).toBeLessThanOrEqual(45)
    }
  })

  test.each([
    ['short', 40],
    ['long', 200],
  ])(
    'that keep changing a row cause SLUICE_STORE_CONTENDED, which does not open the breaker, with a %s timeout',
    async (_, timeout) => {
      holdTime()
      onTestFinished(releaseTime)
      let version = 0
      let loads = 0
      const state = { name: 'default', id: 1, row: [0, 0], endsAt: 0, records: undefined }
      const ended = packStates([state])
      const contended: Database = {
        name: 'contended',
        async load(keys) {
          // A peek takes longer than the short timeout.
          if (loads++ > 0) await after(100)
          return { now: Date.now(), rows: keys.map(() => undefined) }
        },
        async save(groups) {
          await after(1)
          const rows = groups.flat().map(({ key }) => {
            return [key, { version: version++, bytes: ended }] as const
          })
          return { now: Date.now(), groups: groups.map(() => undefined), rows: new Map(rows) }
        },
      }
      const limiter = limiterOver(contended, minute, databaseStore(contended, { timeout }))
      for (let i = 0; i < 5; i++) {
        const error = rejectionOf(limiter.penalize(`key ${i}`, 1))
        await pass(timeout)
        expect((await error).code).toBe('SLUICE_STORE_CONTENDED')
      }
      const decision = limiter.consume('key')
      await pass(timeout)
      expect((await decision).source).toBe('closed')
      const peeked = limiter.peek('key')
      await pass(timeout)
      expect((await peeked).source).toBe(timeout > 100 ? 'store' : 'closed')
    },
  )
})

describe('a database that fails', () => {
  test('receives a save once, because its effect is unknown', async () => {
    const database = new MapDatabase({
      async after(call) {
        if (call === 'save') throw new Error('the connection was reset')
      },
    })
    const limiter = limiterOver(database)
    const { code, message } = await rejectionOf(limiter.penalize('key', 1))
    expect(code).toBe('SLUICE_STORE_FAILED')
    expect(message).toContain('the connection was reset')
    expect(database.calls.save).toBe(1)
    expect((await limiter.peek('key')).remaining).toBe(4)
  })

  test.each([
    ['a log', slidingLog({ limit: 5, window: '1m' })],
    ['leases', concurrency({ limit: 5, lease: '1m' })],
  ])('leaves the remembered row of %s as it was', async (_, policies) => {
    let isDown = false
    const database = new MapDatabase({
      async before(call) {
        if (isDown && call === 'save') throw new Error('refused')
      },
    })
    const limiter = limiterOver(database, policies)
    for (let i = 0; i < 2; i++) await limiter.consume('key')
    isDown = true
    expect((await limiter.consume('key')).source).toBe('closed')
    isDown = false
    expect(await limiter.consume('key')).toMatchObject({ source: 'store', remaining: 2 })
  })

  test('is not called after three failures, and is used again after it has answered', async () => {
    let isDown = true
    const database = new MapDatabase({
      async before() {
        if (isDown) throw new Error('refused')
      },
    })
    const limiter = limiterOver(database)
    for (let i = 0; i < 3; i++) {
      expect((await rejectionOf(limiter.penalize('key', 1))).code).toBe('SLUICE_STORE_FAILED')
    }
    expect((await rejectionOf(limiter.penalize('key', 1))).code).toBe('SLUICE_STORE_UNAVAILABLE')
    isDown = false
    await expect.poll(async () => (await limiter.consume('key')).source).toBe('store')
  })

  test('that does not answer is waited for no longer than the timeout', async () => {
    const database = new MapDatabase({ before: () => delay(60_000, undefined, { ref: false }) })
    const limiter = limiterOver(database, minute, databaseStore(database, { timeout: 40 }))
    expect((await rejectionOf(limiter.penalize('key', 1))).code).toBe('SLUICE_STORE_TIMEOUT')
  })

  test('has four calls at most that it has not answered, and is used again once it has', async () => {
    holdTime()
    onTestFinished(releaseTime)
    const hanging = deferred<void>()
    let unanswered = 0
    let most = 0
    const map = new MapDatabase()
    const hung: Database = {
      name: 'hung',
      // It answers pings, as a server whose table is locked.
      load: (keys) => (keys.length === 0 ? map.load(keys) : wait(() => map.load(keys))),
      save: (groups, span) => wait(() => map.save(groups, span)),
    }
    async function wait<T>(call: () => Promise<T>): Promise<T> {
      most = Math.max(most, ++unanswered)
      await hanging.promise
      unanswered--
      return call()
    }
    const limiter = limiterOver(hung, minute, databaseStore(hung, { timeout: 20 }))
    for (const end = Date.now() + 2500; Date.now() < end;) {
      const decisions = Promise.all([1, 2, 3].map((key) => limiter.consume(['key', key])))
      await pass(25)
      await decisions
    }
    expect(most).toBe(4)
    hanging.resolve()
    const sources: string[] = []
    for (let i = 0; i < 5; i++) {
      await pass(200)
      sources.push((await limiter.consume('another')).source)
    }
    expect(sources.at(-1)).toBe('store')
  })

  test('is not called about a key while a request for it has no answer', async () => {
    holdTime()
    onTestFinished(releaseTime)
    let before = async (): Promise<void> => after(10)
    const database = new MapDatabase({ before: () => before() })
    const limiter = limiterOver(database, minute, databaseStore(database, { timeout: 100 }))
    const first = limiter.consume('key')
    // Two requests that wait for the first one, and then share a call that hangs. One of them is answered before the other.
    const earlier = limiter.consume('key')
    await pass(15)
    const later = limiter.consume('key')
    before = async () => new Promise<never>(() => {})
    await pass(5)
    expect((await first).source).toBe('store')
    const calls = (): number => database.calls.load + database.calls.save
    const sent = calls()
    await pass(85)
    expect((await earlier).source).toBe('closed')
    const next = limiter.consume('key')
    await pass(5)
    expect(calls()).toBe(sent)
    await pass(10)
    expect((await later).source).toBe('closed')
    expect(calls()).toBe(sent + 1)
    await pass(100)
    expect((await next).source).toBe('closed')
  })

  test('takes no units by a call that reaches it after the timeout', async () => {
    holdTime()
    onTestFinished(releaseTime)
    let waitMs = 0
    const database = new MapDatabase({ before: () => after(waitMs) })
    const limiter = limiterOver(database, minute, databaseStore(database, { timeout: 200 }))
    await limiter.consume('key')
    waitMs = 400
    const penalty = rejectionOf(limiter.penalize('key', 1))
    await pass(200)
    expect((await penalty).code).toBe('SLUICE_STORE_TIMEOUT')
    await pass(200)
    waitMs = 0
    expect((await limiter.peek('key')).remaining).toBe(4)
  })

  test('whose reply is late has the units refunded', async () => {
    holdTime()
    onTestFinished(releaseTime)
    let waitMs = 0
    const database = new MapDatabase({ after: () => after(waitMs) })
    const limiter = limiterOver(database, minute, databaseStore(database, { timeout: 200 }))
    await limiter.consume('key')
    waitMs = 400
    const decision = limiter.consume('key')
    await pass(200)
    expect((await decision).source).toBe('closed')
    waitMs = 0
    await pass(200)
    expect(database.calls.save).toBe(3)
    expect((await limiter.peek('key')).remaining).toBe(4)
  })

  test('that conflicts until the deadline fails the consumption, and a refund that was saved with it is void', async () => {
    holdTime()
    onTestFinished(releaseTime)
    const errors = toldOn<StoreErrorEvent>('sluice:store:error')
    let isContended = false
    const database = new MapDatabase({ before: () => after(10), conflicts: () => isContended })
    const limiter = limiterOver(database, minute, databaseStore(database, { timeout: 100 }))
    const first = limiter.consume('key')
    await pass(20)
    const decision = await first
    // The next two requests wait for this one, and then share a call.
    const third = limiter.consume('key')
    const [fourth, refund] = [limiter.consume('key'), limiter.refund(decision)]
    await pass(10)
    expect((await third).source).toBe('store')
    isContended = true
    await pass(200)
    expect([(await fourth).source, await refund]).toEqual(['closed', false])
    expect(errors.map(({ error }) => error.code)).toEqual(['SLUICE_STORE_CONTENDED'])
    isContended = false
    await pass(200)
    const left = limiter.peek('key')
    await pass(20)
    expect((await left).remaining).toBe(3)
  })

  test('that conflicts until the deadline fails the consumption, and not what is saved with it to undo a late answer', async () => {
    holdTime()
    onTestFinished(releaseTime)
    let [lateMs, isContended] = [0, false]
    let second: Promise<Decision> | undefined
    const database = new MapDatabase({
      before: () => after(20),
      async after() {
        await after(lateMs)
        // It shares a call with the undoing, because another call is under way.
        if (lateMs > 0) second = limiter.consume('key')
        lateMs = 0
      },
      conflicts: () => isContended,
    })
    const spans: Span[] = []
    const watched: Database = {
      name: 'map',
      load: (keys) => database.load(keys),
      save(groups, span) {
        spans.push(span)
        return database.save(groups, span)
      },
    }
    const limiter = limiterOver(watched, minute, databaseStore(watched, { timeout: 100 }))
    const known = limiter.consume('other')
    await pass(60)
    await known
    lateMs = 150
    const late = limiter.consume('key')
    await pass(160)
    expect((await late).source).toBe('closed')
    const other = limiter.consume('other')
    isContended = true
    await pass(315)
    await other
    expect((await second)?.source).toBe('closed')
    // A shared save ends with the consumption. Those after it are of the undoing alone.
    const isLong = spans.map(({ from, until }) => until - from > 1000)
    expect(isLong.lastIndexOf(false) < isLong.indexOf(true)).toBe(true)
    isContended = false
    await pass(200)
    const left = limiter.peek('key')
    await pass(40)
    expect((await left).remaining).toBe(5)
  })

  test('that never answers gets four calls and a ping, and is used again half a minute later', async () => {
    holdTime()
    onTestFinished(releaseTime)
    let isSilent = true
    const database = new MapDatabase({
      before: async () => (isSilent ? new Promise(() => {}) : undefined),
    })
    const limiter = limiterOver(database, minute, databaseStore(database, { timeout: 200 }))
    const sources = new Set<string>()
    async function ask(key: string): Promise<void> {
      sources.add((await limiter.consume(key)).source)
    }
    const asked: Promise<void>[] = []
    for (let i = 0; i < 100; i++) {
      asked.push(ask(`key ${i}`))
      await pass(i < 10 ? 1 : 250)
    }
    await Promise.all(asked)
    expect([[...sources], database.calls]).toEqual([['closed'], { load: 5, save: 0, clean: 0 }])
    isSilent = false
    await pass(10_000)
    for (let i = 0; i < 3; i++) {
      asked.push(ask('key'))
      await pass(250)
    }
    await Promise.all(asked)
    expect((await limiter.consume('key')).source).toBe('store')
  })

  test('is closed with the store, which then answers no request', async () => {
    let closed = 0
    const database: Database = {
      name: 'closed',
      load: async () => ({ now: Date.now(), rows: [] }),
      save: async (groups) => ({ now: Date.now(), groups: groups.map(() => undefined) }),
      async close() {
        closed++
      },
    }
    const store = databaseStore(database)
    await store.close()
    const limiter = limiterOver(database, minute, store)
    expect((await rejectionOf(limiter.consume('key'))).code).toBe('SLUICE_STORE_CLOSED')
    expect([closed, await store.ping()]).toEqual([1, false])
  })
})

describe('the clock of the database', () => {
  test('can step back and ahead: counts remain exact', async () => {
    let aheadMs = 0
    const rows = new Map()
    const limiters = Array.from({ length: 2 }, () =>
      limiterOver(new MapDatabase({ rows, clock: () => Date.now() + aheadMs })),
    )
    const allowedOf = async (key: string): Promise<number> => {
      const decisions = [...limiters, ...limiters, ...limiters, ...limiters].map((limiter) =>
        limiter.consume(key),
      )
      return (await Promise.all(decisions)).filter(({ allowed }) => allowed).length
    }
    expect(await allowedOf('key')).toBe(5)
    aheadMs = -30_000
    expect([await allowedOf('key'), await allowedOf('new')]).toEqual([0, 5])
    aheadMs = 90_000
    expect([await allowedOf('key'), await allowedOf('new')]).toEqual([5, 5])
    aheadMs = -86_400_000
    expect(await allowedOf('newer')).toBe(5)
  })
})

test('a remembered denial lasts for at most a second after another process has reset the key', async () => {
  holdTime()
  onTestFinished(releaseTime)
  const rows = new Map()
  const store = databaseStore(new MapDatabase({ rows }), { timeout: '10s' })
  const limiter = createLimiter({ name: 'api', policies: minute, store })
  const other = limiterOver(new MapDatabase({ rows }))
  for (let i = 0; i < 6; i++) await limiter.consume('key')
  await other.reset('key')
  expect(await limiter.consume('key')).toMatchObject({ allowed: false, source: 'local' })
  await pass(1001)
  expect(await limiter.consume('key')).toMatchObject({ allowed: true, remaining: 4 })
})

test('long owners of leases are different, and short in the rows', async () => {
  const database = new MapDatabase()
  const policies = concurrency({ limit: 4, lease: '1m' })
  const limiter = limiterOver(database, policies)
  const owners = [`${'x'.repeat(10_000)}a`, `${'x'.repeat(10_000)}b`]
  for (const [i, owner] of owners.entries()) {
    for (let again = 0; again < 2; again++) {
      expect((await limiter.consume('key', { owner })).remaining).toBe(3 - i)
    }
  }
  const [row] = database.rows.values()
  expect(row.bytes.length).toBeLessThan(1000)
})

describe('rows', () => {
  test('a row that is too long fails its own requests, and no others', async () => {
    const limiter = limiterOver(new MapDatabase(), concurrency({ limit: 1000, lease: '1m' }))
    const owners = Array.from({ length: 160 }, (_, i) => `${i}${'Ж'.repeat(250)}`)
    const long = owners.map((owner) => limiter.consume('long', { owner }))
    const short = owners.map((_, i) => limiter.consume(`short ${i}`))
    expect((await Promise.all(long)).some(({ source }) => source === 'closed')).toBe(true)
    expect((await Promise.all(short)).every(({ source }) => source === 'store')).toBe(true)
    expect((await limiter.consume('another')).source).toBe('store')
  })

  test('in a row that is full, a release makes space for the requests after it', async () => {
    const limiter = limiterOver(new MapDatabase(), concurrency({ limit: 1000, lease: '1m' }))
    const ask = (owner: number) => limiter.consume('key', { owner: `${owner}${'Ж'.repeat(250)}` })
    const first = await ask(100)
    let owner = 101
    while ((await ask(owner)).allowed) owner++
    const requests = [ask(owner), ask(owner), first.lease?.release(), ask(owner), ask(owner + 1)]
    const answers = await Promise.all(requests)
    expect(answers.map((one) => (typeof one === 'object' ? one.source : one))).toEqual([
      'closed',
      'closed',
      true,
      'store',
      'closed',
    ])
  })

  test.each([
    ['slidingLog', slidingLog({ limit: 8001, window: '1m' }), '8000'],
    ['concurrency', concurrency({ limit: 1001, lease: '1m' }), '1000'],
  ])('createLimiter refuses a %s whose records do not fit into a row', (kind, policy, most) => {
    const store = databaseStore(new MapDatabase())
    const error = errorOf(() => createLimiter({ name: 'api', policies: policy, store }))
    expect(error.code).toBe('SLUICE_OPTION_INVALID')
    expect(error.message).toContain(`at most ${most} for "${kind}"`)
  })

  test('so does a call with such a policy', async () => {
    const policies = slidingLog({ limit: 8001, window: '1m' })
    const error = await rejectionOf(limiterOver(new MapDatabase()).consume('key', { policies }))
    expect(error.code).toBe('SLUICE_OPTION_INVALID')
  })

  test('a key has at most 1,000 bytes, and different keys have different rows', async () => {
    const database = new MapDatabase()
    const limiter = limiterOver(database)
    const lone = '\ud800'.repeat(250)
    for (const key of [
      '😀'.repeat(127),
      'Ж'.repeat(255),
      `${lone}a`,
      `${lone}b`,
      '\0',
      '%0',
      'a',
    ]) {
      expect((await limiter.consume(key)).remaining).toBe(4)
    }
    const keys = [...database.rows.keys()]
    expect(keys).toHaveLength(7)
    expect(keys.filter((key) => Buffer.byteLength(key) > 1000 || key.includes('\0'))).toEqual([])
  })

  test.each([
    [0.0099, 3],
    [0.01, 0],
  ])(
    'rows that have ended are cleaned after one save in a hundred: by chance, %d',
    async (chance, cleans) => {
      const database = new MapDatabase()
      const limiter = limiterOver(database)
      const random = vi.spyOn(Math, 'random').mockReturnValue(chance)
      onTestFinished(() => random.mockRestore())
      for (let i = 0; i < 3; i++) await limiter.consume('key')
      expect(database.calls).toMatchObject({ save: 3, clean: cleans })
    },
  )
})
