/** A rate limiter that counts in a database. */
export interface Contender {
  readonly name: string
  /** Creates its table in the database at this address, or in this file, and returns the limiter. */
  open(target: string): Promise<Decide>
}

/** Takes one unit and returns whether it was allowed. */
export type Decide = (key: string) => Promise<boolean>

/** The databases, as the tables call them. */
export const databaseNames = { postgres: 'PostgreSQL', sqlite: 'SQLite' } as const

export type DatabaseKind = keyof typeof databaseNames

/** The least work that a count in a database takes: one statement. It never expires, so it is not a rate limiter. */
export const upsert = '`INSERT … ON CONFLICT`'

/** The contenders of both databases. */
export const sluice = 'Sluice, slidingWindow'
export const flexible = 'rate-limiter-flexible'
