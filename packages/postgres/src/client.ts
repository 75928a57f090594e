/** A pool or a client of `pg`, or whatever has its `query`. */
export interface PgClient {
  query(query: PgQuery): Promise<{ readonly rows: readonly unknown[] }>
}

/** A query, as `pg` takes it. */
export interface PgQuery {
  readonly text: string
  readonly values?: unknown[]
  readonly name?: string
  readonly rowMode?: 'array'
}

/** The function of `postgres.js`. */
export interface PostgresJsClient {
  unsafe(
    text: string,
    values?: unknown[],
    options?: { readonly prepare?: boolean },
  ): PostgresJsQuery
}

/** A query of `postgres.js`. */
export interface PostgresJsQuery extends PromiseLike<unknown> {
  values(): PromiseLike<readonly unknown[]>
}

/** A client that `postgresStore` takes. */
export type PostgresClient = PgClient | PostgresJsClient

/** Runs statements with a client of any kind. */
export interface Driver {
  /** The rows of a statement, each as a list. With a name, the server prepares the statement once for each connection. */
  rows(
    text: string,
    values: readonly unknown[],
    name: string | undefined,
  ): Promise<readonly (readonly unknown[])[]>
  /** Runs several statements without values, in one transaction. */
  run(text: string): Promise<void>
}

export function driverOf(client: PostgresClient): Driver {
  return 'unsafe' in client ? ofPostgresJs(client) : ofPg(client)
}

/** Whether a value is a client. */
export function isPostgresClient(value: unknown): value is PostgresClient {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  return ['unsafe', 'query'].some((name) => typeof Reflect.get(value, name) === 'function')
}

function ofPg(client: PgClient): Driver {
  return {
    async rows(text, values, name) {
      const query: PgQuery = { text, values: [...values], rowMode: 'array' }
      const { rows } = await client.query(name === undefined ? query : { ...query, name })
      return rows.map(listOf)
    },
    async run(text) {
      await client.query({ text })
    },
  }
}

function ofPostgresJs(client: PostgresJsClient): Driver {
  return {
    async rows(text, values, name) {
      const options = { prepare: name !== undefined }
      const rows = await client.unsafe(text, [...values], options).values()
      return Array.from(rows, listOf)
    },
    async run(text) {
      await client.unsafe(text)
    },
  }
}

function listOf(row: unknown): readonly unknown[] {
  if (Array.isArray(row)) return row
  throw new TypeError('the client returned a row that is not a list')
}
