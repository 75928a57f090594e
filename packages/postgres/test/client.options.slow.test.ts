import { createLimiter, fixedWindow, slidingLog } from '@sluice/core'
import { usePostgres } from '@sluice/test-kit/postgres'
import pg from 'pg'
import postgres from 'postgres'
import { expect, onTestFinished, test } from 'vitest'
import type { PostgresClient } from '../src/index.js'
import { postgresStore } from '../src/index.js'

const server = usePostgres()

/** The numbers of the types int8 and bool. */
const int8 = 20
const bool = 16

/** Makes a pool of `pg` whose parser of one type is not the usual one, or with settings of the server. */
function pgWith(
  parse: (text: string) => unknown,
  type: number = int8,
  options: string = '',
): () => PostgresClient {
  return () => {
    const types = {
      getTypeParser: (id: number, format?: string): unknown =>
        id === type ? parse : Reflect.apply(pg.types.getTypeParser, pg.types, [id, format]),
    }
    const pool = new pg.Pool({ connectionString: server.url, max: 2, types, options })
    onTestFinished(() => pool.end())
    return pool
  }
}

/** Makes a function of `postgres.js` with options of the application. */
function postgresJsWith(
  options: postgres.Options<Record<string, postgres.PostgresType>>,
): () => PostgresClient {
  return () => {
    const sql = postgres(server.url, { max: 2, onnotice() {}, ...options })
    onTestFinished(() => sql.end())
    return sql
  }
}

/** A number as a library for decimals has it. */
class Decimal {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

const asNumber: postgres.PostgresType = {
  to: int8,
  from: [int8],
  parse: Number,
  serialize: String,
}

test.each([
  ['pg', pgWith(String)],
  ['pg with int8 as Number', pgWith(Number)],
  ['pg with int8 as BigInt', pgWith(BigInt)],
  ['pg with int8 as an object', pgWith((text) => new Decimal(text))],
  ['pg with bool as a number', pgWith((text) => (text === 't' ? 1 : 0), bool)],
  ['pg with "array_nulls = off"', pgWith(String, int8, '-c array_nulls=off')],
  ['postgres.js', postgresJsWith({})],
  ['pg with "bytea_output = escape"', pgWith(String, int8, '-c bytea_output=escape')],
  [
    'postgres.js with "bytea_output = escape"',
    postgresJsWith({ connection: { bytea_output: 'escape' } }),
  ],
  ['postgres.js with "fetch_types: false"', postgresJsWith({ fetch_types: false })],
  ['postgres.js with "prepare: false"', postgresJsWith({ prepare: false, fetch_types: false })],
  ['postgres.js with int8 as Number', postgresJsWith({ types: { int8: asNumber } })],
  ['postgres.js with int8 as BigInt', postgresJsWith({ types: { bigint: postgres.BigInt } })],
])('%s counts one key, several keys, and keys with quotes', async (name, make) => {
  const store = postgresStore(make(), { migrate: true, timeout: '10s' })
  const policies = {
    own: fixedWindow({ limit: 9, window: '1h' }),
    all: slidingLog({ limit: 50, window: '1h' }),
  }
  const limiter = createLimiter({ name, policies, store })
  const keys = ['a', 'b', String.raw`"c\",{'`, 'null']
  for (let round = 1; round <= 3; round++) {
    for (const key of keys) expect(await limiter.consume(key)).toMatchObject({ source: 'store' })
    const decisions = await Promise.all(
      keys.map((key) => limiter.consume({ own: key, all: 'all' })),
    )
    expect(decisions.map(({ source }) => source)).toEqual(keys.map(() => 'store'))
  }
  for (const key of keys)
    expect(await limiter.peek(key)).toMatchObject({ remaining: 3, source: 'store' })
  // Another process, which remembers no row.
  const other = createLimiter({ name, policies, store: postgresStore(make(), { timeout: '10s' }) })
  expect(await other.peek({ own: 'other', all: 'all' })).toMatchObject({
    policies: { all: { remaining: 38 } },
  })
  await Promise.all(keys.map((key) => limiter.reset(key)))
  for (const key of keys) expect(await limiter.peek(key)).toMatchObject({ remaining: 9 })
})
