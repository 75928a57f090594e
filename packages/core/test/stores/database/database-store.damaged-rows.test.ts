import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { MapDatabase, type MapRow } from '@sluice/test-kit/map-database'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  slidingLog,
  type AsyncStore,
  type Limiter,
  type Policies,
  type Policy,
} from '../../../src/index.js'
import { databaseStore, type Database } from '../../../src/stores/database/index.js'
import { packStates, readStates } from '../../../src/stores/database/state-bytes.js'
import { rejectionOf } from '../../error-of.js'
import { asking } from '../pipeline/stub-store.js'

const minute = fixedWindow({ limit: 5, window: '1m' })
const row = 'sluice:api:1{key}'
const garbage = (): Uint8Array => Uint8Array.of(255, 0, 1)

/** Rows that several processes share. */
function createScene() {
  const rows = new Map<string, MapRow>()
  let offset = 0
  const clock = (): number => Date.now() + offset
  return {
    rows,
    /** Moves the clock of the database. */
    advance: (ms: number): void => void (offset += ms),
    /** The limiter of a new process. */
    limiter(
      policies: Policies = minute,
      onStoreError: 'local' | 'allow' | 'deny' = 'deny',
      database: Database = new MapDatabase({ rows, clock }),
    ): Limiter<AsyncStore> {
      const store = databaseStore(database, { timeout: '10s' })
      return createLimiter({ name: 'api', policies, store, onStoreError, denyCache: false })
    },
    damage(change: (bytes: Uint8Array) => Uint8Array, key = row): void {
      const found = rows.get(key)
      if (found === undefined) throw new Error(`there is no row ${key}`)
      rows.set(key, { ...found, bytes: change(found.bytes) })
    },
  }
}

function withoutRecords(bytes: Uint8Array): Uint8Array {
  const states = readStates(bytes) ?? []
  return packStates(
    states.map(({ name, id, row, endsAt }) => ({ name, id, row, endsAt, records: undefined })),
  )
}

const damages: readonly [string, Policy, (bytes: Uint8Array) => Uint8Array][] = [
  ['bytes of another program', minute, garbage],
  ['no bytes', minute, () => new Uint8Array()],
  ['a cut state', minute, (bytes) => bytes.subarray(0, -1)],
  ['a log without its records', slidingLog({ limit: 5, window: '1m' }), withoutRecords],
  ['leases without their records', concurrency({ limit: 5, lease: '1m' }), withoutRecords],
]

test.each(damages)('onStoreError decides for a row with %s', async (_, policies, change) => {
  const scene = createScene()
  await scene.limiter(policies).consume('key')
  scene.damage(change)
  for (const [onStoreError, source] of [
    ['deny', 'closed'],
    ['allow', 'open'],
    ['local', 'fallback'],
  ] as const) {
    const limiter = scene.limiter(policies, onStoreError)
    expect((await limiter.consume('key')).source).toBe(source)
  }
  const limiter = scene.limiter(policies)
  expect((await limiter.peek('key')).source).toBe('closed')
  expect((await rejectionOf(limiter.penalize('key', 1))).code).toBe('SLUICE_STORE_DAMAGED')
  expect((await rejectionOf(limiter.reset('key'))).code).toBe('SLUICE_STORE_DAMAGED')
})

test.each(damages)(
  'a minute after a row with %s was found, its key counts again',
  async (_, policies, change) => {
    const scene = createScene()
    await scene.limiter(policies).consume('key', { cost: 3 })
    scene.damage(change)
    const limiter = scene.limiter(policies)
    expect((await limiter.consume('key')).source).toBe('closed')
    scene.advance(58_000)
    const other = scene.limiter(policies)
    expect((await other.consume('key')).source).toBe('closed')
    expect((await limiter.consume('key')).source).toBe('closed')
    scene.advance(3000)
    const decision = await limiter.consume('key')
    expect(decision).toMatchObject({ source: 'store', allowed: true, remaining: 4 })
    expect((await other.consume('key')).remaining).toBe(3)
  },
)

test.each(damages)(
  'of requests that are saved together, only the one about a row with %s fails',
  async (_, policies, change) => {
    const scene = createScene()
    const both = { client: policies, whole: fixedWindow({ limit: 100, window: '1h' }) }
    const keyOf = (client: string) => ({ client, whole: 'whole' })
    await scene.limiter(both).consume(keyOf('key'))
    scene.damage(change)
    const limiter = scene.limiter(both)
    const clients = Array.from({ length: 20 }, (__, i) => (i === 7 ? 'key' : `client ${i}`))
    const decisions = await limiter.consumeMany(clients.map((one) => ({ key: keyOf(one) })))
    const failed = clients.filter((__, i) => decisions[i].source !== 'store')
    expect(failed).toEqual(['key'])
    expect((await limiter.peek(keyOf('another'))).policies['whole'].remaining).toBe(80)
  },
)

test('a request that its algorithm cannot run fails alone, and counts nothing', async () => {
  const request = asking(minute)('consume')
  const [policy] = request.policies
  const steps = {
    ...policy.steps,
    take() {
      throw new Error('cannot take')
    },
  }
  const failing = { ...request, policies: [{ ...policy, steps }] }
  const store = databaseStore(new MapDatabase(), { timeout: '10s' })
  const answers = await store.run([request, failing, request])
  expect(answers).toMatchObject([
    { allowed: true },
    { code: 'SLUICE_STORE_FAILED', message: expect.stringContaining('cannot take') },
    { allowed: true, states: [{ row: [expect.any(Number), 2] }] },
  ])
})

test('while each row that is saved is damaged, the store allows no request', async () => {
  const scene = createScene()
  await scene.limiter().consume('key')
  for (let minutes = 0; minutes < 5; minutes++) {
    scene.damage(garbage)
    scene.advance(61_000)
    expect((await scene.limiter().consume('key')).source).toBe('closed')
  }
})

test('the row that replaces a damaged one ends', async () => {
  const scene = createScene()
  await scene.limiter().consume('key')
  scene.damage(garbage)
  const before = Date.now()
  await scene.limiter().consume('key')
  const endsAt = scene.rows.get(row)?.endsAt ?? 0
  expect(endsAt).toBeGreaterThanOrEqual(before + 61_000)
  expect(endsAt).toBeLessThanOrEqual(Date.now() + 61_000)
})

test('a process that remembers the row continues to count, and its save repairs the row', async () => {
  const scene = createScene()
  const limiter = scene.limiter()
  await limiter.consume('key')
  scene.damage(garbage)
  expect(await limiter.consume('key')).toMatchObject({ source: 'store', remaining: 3 })
  expect((await scene.limiter().peek('key')).remaining).toBe(3)
})

test('after the row was deleted by hand, its key counts again at once', async () => {
  const scene = createScene()
  await scene.limiter().consume('key')
  scene.damage(garbage)
  const limiter = scene.limiter()
  await limiter.consume('key')
  expect((await limiter.consume('key')).source).toBe('closed')
  scene.rows.delete(row)
  expect(await limiter.consume('key')).toMatchObject({ source: 'store', remaining: 4 })
})

test('other keys are decided, and the breaker stays closed', async () => {
  const scene = createScene()
  const keys = Array.from({ length: 10 }, (_, i) => `damaged ${i}`)
  for (const key of keys) {
    await scene.limiter().consume(key)
    scene.damage(garbage, `sluice:api:1{${key}}`)
  }
  const limiter = scene.limiter()
  for (const key of keys) expect((await limiter.consume(key)).source).toBe('closed')
  // Then no answer of the store is recent.
  await delay(300)
  for (const key of keys) expect((await limiter.consume(key)).source).toBe('closed')
  expect((await limiter.consume('key')).source).toBe('store')
  const decisions = await limiter.consumeMany([{ key: keys[0] }, { key: 'key' }])
  expect(decisions.map(({ source }) => source)).toEqual(['closed', 'store'])
})

test('a limit on two keys fails if one of them is damaged, and takes nothing of the other', async () => {
  const scene = createScene()
  const policies = { user: minute, team: minute }
  const key = (user: string) => ({ user, team: 'team' })
  await scene.limiter(policies).consume(key('ada'))
  scene.damage(garbage, 'sluice:api:1{ada}')
  const limiter = scene.limiter(policies)
  expect((await limiter.consume(key('ada'))).source).toBe('closed')
  const { policies: states } = await limiter.consume(key('grace'))
  expect(states['team'].remaining).toBe(3)
})

test('each call that finds the row publishes one event', async () => {
  const scene = createScene()
  const events: unknown[] = []
  const note = (event: unknown): number => events.push(event)
  await scene.limiter().consume('key')
  scene.damage(garbage)
  const limiter = scene.limiter()
  subscribe('sluice:store:error', note)
  await limiter.consumeMany([{ key: 'key' }, { key: 'key' }])
  await limiter.consume('key')
  unsubscribe('sluice:store:error', note)
  const expected = { store: 'map', error: { code: 'SLUICE_STORE_DAMAGED' } }
  expect(events).toMatchObject([expected, expected])
})

test.each([
  ['nothing', undefined],
  ['a text', 'text'],
])('a row with %s instead of bytes is damaged, too', async (_, bytes) => {
  const scene = createScene()
  await scene.limiter().consume('key')
  scene.damage(() => JSON.parse(JSON.stringify({ bytes })).bytes)
  expect((await scene.limiter().consume('key')).source).toBe('closed')
})

test('a reply that breaks the contract is an error of its requests', async () => {
  const database: Database = {
    name: 'broken',
    load: async () => ({ now: Date.now(), rows: [] }),
    save: async () => JSON.parse(`{ "now": ${Date.now()} }`),
  }
  const limiter = createScene().limiter(minute, 'deny', database)
  expect((await rejectionOf(limiter.penalize('key', 1))).code).toBe('SLUICE_STORE_FAILED')
})
