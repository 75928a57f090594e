import type { Database } from '@sluice/core/database'

/**
 * Returns an instance of the database. All instances are over the same data. It is called at least once for each test, and may return the same instance
 * again.
 */
export type DatabaseFactory = () => Database | Promise<Database>

/** Options of `describeDatabase`. `node:test` is the default of its functions, which are always passed together. */
export interface DatabaseTests extends Partial<TestFunctions> {
  /**
   * Changes the state of a row so that the database cannot read it, such as a column of another type. Without it, this is not tested. A database that stores
   * and returns any bytes can read every state.
   */
  damage?(key: string): Promise<void> | void
}

/** Defines a test, with the time that all of them have. */
export type DefineTest = (name: string, run: () => Promise<void>) => void

/** The functions of a test runner: `node:test`, Vitest, Jest. */
export interface TestFunctions {
  /** Defines a group of tests. */
  describe(name: string, define: () => void): unknown
  /** Defines a test that may run for `timeoutMs` milliseconds: 60,000, as a database may be slow. */
  it(name: string, run: () => Promise<void>, timeoutMs: number): unknown
}
