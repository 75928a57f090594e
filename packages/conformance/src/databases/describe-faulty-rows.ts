import { randomUUID } from 'node:crypto'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  type AsyncStore,
  type ConsumeOptions,
  type Limiter,
  type Policies,
} from '@sluice/core'
import { databaseStore, type Database } from '@sluice/core/database'
import { describe, expect, test } from 'vitest'

const whole = fixedWindow({ limit: 1000, window: '1h' })

interface Fault {
  readonly name: string
  readonly policies: Policies
  readonly optionsOf: (client: string) => ConsumeOptions
  /** Makes the row of the client 'faulty', and returns the units that this has counted. */
  readonly make: (limiter: Limiter<AsyncStore>, database: Database, row: string) => Promise<number>
}

const faults: readonly Fault[] = [
  {
    name: 'damaged',
    policies: { client: fixedWindow({ limit: 5, window: '1h' }), whole },
    optionsOf: () => ({}),
    async make(limiter, database, key) {
      await limiter.consume(keyOf('faulty'))
      const { now, rows } = await database.load([key])
      const change = { key, version: rows[0]?.version, bytes: garbage, endsAt: now + 3_600_000 }
      await database.save([[change]], { from: 0, until: 2 ** 52 })
      return 1
    },
  },
  {
    name: 'full',
    policies: { client: concurrency({ limit: 1000, lease: '1h' }), whole },
    optionsOf: longOwner,
    async make(limiter) {
      for (let i = 0; ; i++) {
        if (!(await limiter.consume(keyOf('faulty'), longOwner(`${i}`))).allowed) return i
      }
    },
  },
]

/**
 * A row that cannot be read or has no space left, in one call with the rows of 20 other clients. All of them count in one more row, so their rows are saved
 * together. The request about the faulty row fails, and all others are decided.
 *
 * @param database returns a database after the tests have begun
 */
export function describeFaultyRows(where: string, database: () => Database): void {
  describe(`in one call over ${where}`, () => {
    for (const { name, policies, optionsOf, make } of faults) {
      // A process that remembers rows saves before it loads.
      test.each([0, 1000])(
        `the request about a ${name} row fails, and those about 20 other keys are decided (%d remembered rows)`,
        async (rememberedRows) => {
          const limiterName = randomUUID()
          const limiterOf = (): Limiter<AsyncStore> => {
            const store = databaseStore(database(), { timeout: '10s', rememberedRows })
            const options = { name: limiterName, policies, store, denyCache: false }
            return createLimiter({ ...options, onStoreError: 'deny' })
          }
          let counted = await make(limiterOf(), database(), `sluice:${limiterName}:1{faulty}`)
          const limiter = limiterOf()
          for (let again = 0; again < 2; again++) {
            const keys = clients.toSpliced(10, 0, 'faulty')
            const decisions = await Promise.all(
              keys.map((key) => limiter.consume(keyOf(key), optionsOf(key))),
            )
            const failed = keys.filter((_, i) => decisions[i].source !== 'store')
            const denied = keys.filter((_, i) => !decisions[i].allowed)
            expect([failed, denied]).toEqual([['faulty'], ['faulty']])
            counted += clients.length
            const states = (await limiter.peek(keyOf('another'))).policies
            expect(states['whole'].remaining).toBe(1000 - counted)
          }
        },
      )
    }
  })
}

const clients = Array.from({ length: 20 }, (_, i) => `client ${i}`)
const garbage = Uint8Array.of(255, 0, 1)

function keyOf(client: string): Record<string, string> {
  return { client, whole: 'whole' }
}

function longOwner(name: string): ConsumeOptions {
  return { owner: name + 'Ж'.repeat(240) }
}
