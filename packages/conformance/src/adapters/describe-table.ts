import { expect, test } from 'vitest'
import type { Adapter } from './adapter.js'
import { answersOf, differences } from './table/answers.js'
import { printed } from './table/print.js'

/** One server gives the expected answers. */
export function describeRows(adapter: Adapter): void {
  test('every request of the table has the expected response', async () => {
    expect(differences(adapter, await answersOf(adapter))).toEqual([])
  })
}

/** The same requests get the same answers on all servers. Prints the table, or the differences. */
export function describeTable(adapters: readonly Adapter[]): void {
  test('the same table of requests has the same responses on all servers', async () => {
    const found: string[] = []
    let table = ''
    for (const adapter of adapters) {
      const answers = await answersOf(adapter)
      found.push(...differences(adapter, answers))
      table = printed(answers)
    }
    expect(found).toEqual([])
    const names = adapters.map(({ name }) => name).join(', ')
    process.stdout.write(`\n${names} all answer:\n\n${table}\n\n`)
  })
}
