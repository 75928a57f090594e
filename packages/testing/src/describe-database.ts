import { describeGroups } from './groups.js'
import { describeDamage, describeStates } from './states.js'
import type { DatabaseFactory, DatabaseTests, DefineTest, TestFunctions } from './suite.js'
import { describeTimes } from './times.js'
import { describeTraffic } from './traffic.js'

/** Unlike the five seconds of Vitest and Jest, it is enough for a database far away, or for a busy machine. */
const timeoutMs = 60_000

/**
 * Tests that a database keeps the contract `Database` of `@sluice/core/database`, by plain calls. Each failure names the sentence that the database
 * breaks. All rows have keys of their own, so the tests can run on a table with other rows.
 *
 * @param makeDatabase returns instances over the same data, if possible with different connections
 * @param options the functions of the test runner, by default those of `node:test`
 * @example
 * import { describeDatabase } from '@sluice/testing'
 *
 * describeDatabase('my database', () => myDatabase(client))
 */
export function describeDatabase(
  name: string,
  makeDatabase: DatabaseFactory,
  { damage, ...options }: DatabaseTests = {},
): void {
  const runner = areFunctions(options) ? options : nodeTest()
  const it: DefineTest = (name, run) => runner.it(name, run, timeoutMs)
  runner.describe(name, () => {
    describeStates(makeDatabase, it)
    if (damage !== undefined) describeDamage(makeDatabase, it, damage)
    describeGroups(makeDatabase, it)
    describeTimes(makeDatabase, it)
    describeTraffic(makeDatabase, it)
  })
}

function areFunctions(options: Partial<TestFunctions>): options is TestFunctions {
  return options.describe !== undefined && options.it !== undefined
}

/** Other test runners cannot load this module, so it is loaded only if it is used. */
function nodeTest(): TestFunctions {
  return process.getBuiltinModule('node:test')
}
