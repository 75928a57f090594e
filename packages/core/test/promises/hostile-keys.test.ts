import { createHash, randomUUID } from 'node:crypto'
import {
  createLimiter,
  fixedWindow,
  memoryStore,
  redisStore,
  slidingLog,
  type Key,
  type Limiter,
  type Store,
} from '@sluice/core'
import { runs } from '@sluice/test-kit/random'
import { useRedis } from '@sluice/test-kit/redis'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

// A key or a name of any bytes has one count, and never shares it with another key or name.

const server = useRedis()

const long = 'x'.repeat(300)
const huge = 'y'.repeat(100_000)

/** Characters that end a line, a field, a string, a tag or an escape, pairs that look alike, and lone surrogates, which have no UTF-8 form. */
const pieces = fc.constantFrom(
  '\0',
  '\r\n',
  '\n',
  '{',
  '}',
  '{}',
  '%',
  '%25',
  '%7C',
  '%#',
  '|',
  ':',
  '*',
  ' ',
  '"',
  '\\',
  '\u{1F600}',
  '\uD83D',
  '\uDE00',
  '\uD800',
  '\uDFFF',
  '\uFFFD',
  '\u00E9',
  'e\u0301',
  '\uFB01',
  'fi',
  '\u202E',
  '\uFEFF',
  '__proto__',
  'a',
  'A',
  '1',
)
const part = fc.oneof(
  fc.array(pieces, { minLength: 1, maxLength: 4 }).map((list) => list.join('')),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 5 }),
  // Longer than the keys that are stored unhashed, and different in one place only.
  fc.tuple(fc.nat(299), pieces).map(([at, piece]) => long.slice(0, at) + piece + long.slice(at)),
)
const keyPart = fc.oneof(part, part, fc.maxSafeInteger())
const key: fc.Arbitrary<Key> = fc.oneof(part, fc.array(keyPart, { minLength: 1, maxLength: 3 }))

/** The identity of a key: a string is a list of one part, a number is its decimal text, and each code unit counts. */
function identityOf(given: Key): string {
  return JSON.stringify(typeof given === 'string' ? [given] : given.map(String))
}

const stores: readonly (readonly [string, () => Store])[] = [
  ['memory', () => memoryStore()],
  ['Redis', () => redisStore(server.client(), { timeout: '10s' })],
]

describe.each(stores)('in %s', (_, open) => {
  const policies = { window: fixedWindow({ limit: 1000, window: '1h' }) }

  test('each key has one count, which it shares with no other key', async () => {
    const store = open()
    const keys = fc.array(key, { minLength: 2, maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(keys, async (asked) => {
        const limiter: Limiter = createLimiter({ name: randomUUID(), policies, store })
        const used = new Map<string, number>()
        for (const each of asked) {
          const count = (used.get(identityOf(each)) ?? 0) + 1
          used.set(identityOf(each), count)
          expect((await limiter.consume(each)).remaining).toBe(1000 - count)
        }
      }),
      { numRuns: runs(150) },
    )
  })

  test('each limiter and each policy of any name has one count for a key, and shares it with no other', async () => {
    const store = open()
    const name = part.filter((text) => text.length <= 64)
    const prefix = randomUUID()
    const used = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(name, name, async (limiterName, policyName) => {
        const limiter: Limiter = createLimiter({
          name: `${prefix}${limiterName}`,
          policies: Object.fromEntries([[policyName, slidingLog({ limit: 1000, window: '1h' })]]),
          store,
        })
        const identity = JSON.stringify([limiterName, policyName])
        const count = (used.get(identity) ?? 0) + 1
        used.set(identity, count)
        expect((await limiter.consume('key')).remaining).toBe(1000 - count)
      }),
      { numRuns: runs(300) },
    )
  })

  test('keys of a hundred thousand characters that differ in one character are different', async () => {
    const limiter: Limiter = createLimiter({ name: randomUUID(), policies, store: open() })
    const twins: Key[] = [
      huge,
      `${huge}y`,
      `${huge}\uD800`,
      `${huge}\uD801`,
      `${huge}\uFFFD`,
      `\uDC00${huge}`,
      `\uDC01${huge}`,
      [huge, huge],
      [huge, 'y', huge],
      `${huge}|${huge}`,
      `${huge}\u00E9`,
      `${huge}e\u0301`,
    ]
    for (let round = 1; round <= 2; round++) {
      for (const twin of twins) expect((await limiter.consume(twin)).remaining).toBe(1000 - round)
    }
  })

  test('no key equals the stored form of a long key', async () => {
    const limiter: Limiter = createLimiter({ name: randomUUID(), policies, store: open() })
    await limiter.consume(huge)
    const digest = createHash('sha256').update(huge).digest('hex')
    for (const kept of [`%#${digest}`, `#${digest}`, digest]) {
      expect((await limiter.consume(kept)).remaining).toBe(999)
    }
  })
})

test('the name of a key in Redis has at most 1,300 bytes plus the names, and the key expires with the window', async () => {
  const client = server.client()
  const prefix = randomUUID()
  const store = redisStore(client, { timeout: '10s', prefix })
  const limiter = createLimiter({
    name: 'api',
    policies: { log: slidingLog({ limit: 5, window: '1h' }) },
    store,
  })
  const worst = ['{'.repeat(256), '\uD800'.repeat(256), '|'.repeat(86), huge, '%'.repeat(256)]
  for (const each of worst) await limiter.consume(each)
  const kept = await client.keysBuffer(`${prefix}:*`)
  const expiring = await Promise.all(kept.map(async (name) => client.pttl(name)))
  expect(kept.length).toBe(2 * worst.length)
  expect(Math.max(...kept.map((name) => name.length))).toBeLessThan(
    1300 + `${prefix}:api:{}:log:1`.length,
  )
  expect(expiring.filter((ms) => ms <= 0 || ms > 4_000_000)).toEqual([])
  await server.connection.flushall()
})
