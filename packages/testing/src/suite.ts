import type { Database } from '@sluice/core/database'

/**
 * Returns an instance of the database. All instances are over the same data. It is called at least once for each test, and may return the same instance
 * again.
 */
export type DatabaseFactory = () => Database | Promise<Database>

/** The functions of a test runner: `node:test`, Vitest, Jest. */
export interface TestFunctions {
  /** Defines a group of tests. */
  describe(name: string, define: () => void): unknown
  /** Defines a test. */
  it(name: string, run: () => Promise<void>): unknown
}
