import type { Change, Database, Loaded, Saved, Span, StoredRow } from '@sluice/core/database'
import type { PostgresClient } from './client.js'
import { isConflict } from './errors.js'
import {
  clock,
  firstVersion,
  namesOf,
  nextVersion,
  overEnded,
  schemaOf,
  type Names,
} from './schema.js'
import { createStatements } from './statements.js'

export interface PostgresDatabaseSettings {
  readonly schema: string
  readonly table: string
  readonly logged: boolean
  readonly prepare: boolean
  readonly migrate: boolean
}

/** The pages that one cleaning looks at. */
const cleanedPages = 200

/** The longest time that a ping waits for a lock of the table. */
const touchMs = 200

/** The rows of a store in a table of PostgreSQL. */
export function postgresDatabase(
  client: PostgresClient,
  { schema, table, logged, prepare, migrate }: PostgresDatabaseSettings,
): Database {
  const names = namesOf(schema, table)
  const migration = migrate ? schemaOf(names, logged) : undefined
  const run = createStatements(client, { table: names.table, prepare, migration })
  // postgres.js reads only one of the two formats of bytes, and the server chooses: see "bytea_output".
  const isHex = 'unsafe' in client
  const texts = textsOf(names, isHex ? `encode(state, 'hex')` : 'state')

  function rowOf(version: unknown, state: unknown): StoredRow | undefined {
    if (state === null) return undefined
    const bytes = isHex && typeof state === 'string' ? Buffer.from(state, 'hex') : state
    if (bytes instanceof Uint8Array) return { version, bytes }
    throw new TypeError(
      `the client returned ${typeof state} for a value of type ${isHex ? 'text' : 'bytea'}. Pass a client without a parser of your own for that type.`,
    )
  }

  async function load(keys: readonly string[]): Promise<Loaded> {
    if (keys.length === 0) {
      await run(texts.touch)
      const [[now]] = await run(texts.now, [])
      return { now: Number(now), rows: [] }
    }
    const found = await run(texts.load, [arrayOf(keys)])
    return {
      now: Number(found[0][2]),
      rows: found.map(([version, state]) => rowOf(version, state)),
    }
  }

  /** Saves a row alone, by a plain statement. */
  async function saveOne(change: Change, { from, until }: Span): Promise<Saved> {
    const { key, version, bytes, endsAt } = change
    const state = hexOf(bytes)
    const ends = Math.ceil(endsAt)
    const [saved] =
      version === undefined
        ? await run(texts.insert, [key, state, ends, from, until])
        : await run(texts.update, [key, String(change.version), state, ends, from, until])
    if (saved !== undefined) return { now: Number(saved[1]), groups: [[saved[0]]] }
    const { now, rows } = await load([key])
    return { now, groups: [undefined], rows: new Map([[key, rows[0]]]) }
  }

  async function saveGroups(
    groups: readonly (readonly Change[])[],
    { from, until }: Span,
  ): Promise<Saved> {
    const changes = groups.flatMap((group, g) => group.map((change) => ({ change, g })))
    // In one order in all processes, so that two calls never wait for each other.
    changes.sort((one, other) => (one.change.key < other.change.key ? -1 : 1))
    const isSingle = groups.every((group) => group.length === 1)
    const found = await run(texts.save, [
      from,
      until,
      arrayOf(changes.map(({ change }) => change.key)),
      // Values in place of null, which a server with "array_nulls = off" reads as a text.
      arrayOf(changes.map(({ change }) => change.version ?? -1)),
      arrayOf(changes.map(({ change: { bytes } }) => hexOf(bytes) ?? '')),
      arrayOf(changes.map(({ change }) => Math.ceil(change.endsAt))),
      isSingle ? null : arrayOf(changes.map(({ g }) => g)),
    ])
    const versions = new Map<string, unknown>()
    const current = new Map<string, StoredRow | undefined>()
    found.forEach(([version, state], i) => {
      const { key } = changes[i].change
      // Only a row that was not saved is returned with its state.
      if (version !== null && state === null) versions.set(key, version)
      else current.set(key, rowOf(version, state))
    })
    const saved = groups.map((group) =>
      group.every(({ key }) => versions.has(key))
        ? group.map(({ key }) => versions.get(key))
        : undefined,
    )
    return { now: Number(found[0][2]), groups: saved, rows: current }
  }

  return {
    name: 'postgres',
    load,

    async save(groups, span) {
      const [[first, ...others]] = groups
      const isAlone = groups.length === 1 && others.length === 0 && first.bytes !== undefined
      try {
        return await (isAlone ? saveOne(first, span) : saveGroups(groups, span))
      } catch (error) {
        if (!isConflict(error)) throw error
        return { now: (await load([])).now, groups: groups.map(() => undefined) }
      }
    },

    async clean() {
      await run(texts.clean, [])
    },
  }
}

/** The statements. Those for a single row look at the clock again after they have waited for a lock: a division by zero undoes what would be late. */
function textsOf({ table, load, save, clean }: Names, state: string) {
  const returning = (until: string): string =>
    `returning version, ${clock} / (${clock} <= ${until}::bigint)::int`
  return {
    // Fails while a lock of the table stops every save. It waits a moment only, so that pings do not fill the pool.
    touch: `select set_config('lock_timeout', '${touchMs}', true); update ${table} set ends = ends where false`,
    now: `select ${clock}`,
    load: `select version, ${state}, now from ${load}($1::text::text[])`,
    save: `select version, ${state}, now from ${save}($1::bigint, $2::bigint, $3::text::text[], array_replace($4::text::bigint[], -1, null), array_replace($5::text::bytea[], '', null), $6::text::bigint[], $7::text::int[])`,
    update: `update ${table} set version = ${nextVersion}, state = $3::text::bytea, ends = $4::bigint where key = $1::text and version = $2::text::bigint and ${clock} between $5::bigint and $6::bigint ${returning('$6')}`,
    insert: `insert into ${table} as t select $1::text, ${firstVersion}, $3::bigint, $2::text::bytea where ${clock} between $4::bigint and $5::bigint ${overEnded} ${returning('$5')}`,
    clean: `select ${clean}(${cleanedPages})`,
  }
}

/**
 * Bytes as text. A Buffer would be stored wrong by postgres.js: if a connection has lost a prepared statement, it sends the statement again, and encodes a Buffer
 * twice.
 */
function hexOf(bytes: Uint8Array | undefined): string | null {
  if (bytes === undefined) return null
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`
}

/**
 * A list as text, which the statement casts. A client passes a list, or a BigInt in one, only if it knows the type: postgres.js does not with
 * "fetch_types: false", nor after "types: { bigint: postgres.BigInt }". A version can be an object of the application's own parser.
 */
function arrayOf(values: readonly unknown[]): string {
  const items = values.map((value) => `"${String(value).replaceAll(/["\\]/g, String.raw`\$&`)}"`)
  return `{${items.join(',')}}`
}
