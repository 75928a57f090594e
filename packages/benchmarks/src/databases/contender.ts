import { slidingWindow, type AsyncStore } from '@sluice/core'
import { decideOver, limit, windowMs, type Decide } from '../deciding.js'

/** A rate limiter that counts in a database. */
export interface Contender {
  readonly name: string
  /** Creates its table in the database at this address, or in this file, and returns the limiter. */
  open(target: string): Promise<Decide>
}

/** The databases, as the tables call them. */
export const databaseNames = { postgres: 'PostgreSQL', sqlite: 'SQLite' } as const

export type DatabaseKind = keyof typeof databaseNames

/** The least work that a count in a database takes: one statement. It never expires, so it is not a rate limiter. */
export const upsert = '`INSERT … ON CONFLICT`'

/** The contenders of both databases. */
export const sluice = 'Sluice, slidingWindow'
export const flexible = 'rate-limiter-flexible'

/** Decides by the default algorithm of Sluice. */
export function slidingOver(store: AsyncStore, window: number = windowMs): Decide {
  return decideOver(store, slidingWindow({ limit, window }))
}

/** The options of rate-limiter-flexible that do not depend on the database. */
export const flexibleOptions: {
  readonly points: number
  readonly duration: number
  readonly tableCreated: true
} = { points: limit, duration: windowMs / 1000, tableCreated: true }
