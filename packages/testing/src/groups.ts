import { expectThat } from './contract.js'
import { change, expectBytes, expectRow, expectUint8Array, makeRow, newKeys, save } from './rows.js'
import type { DatabaseFactory, DefineTest } from './suite.js'

const one = Uint8Array.of(1)
const two = Uint8Array.of(2)

/** Groups of rows that are saved together. */
export function describeGroups(make: DatabaseFactory, it: DefineTest): void {
  it('saves a group whole, with the versions in the order of its changes', async () => {
    const database = await make()
    const [a, b, c] = newKeys(3).toSorted()
    const saved = await save(database, [
      [change(c, undefined, one), change(a, undefined, one), change(b, undefined, one)],
    ])
    const versions = saved.groups[0]
    expectThat(versions !== undefined, 'whole', 'It did not save three new rows.')
    const [ofC, ofA, ofB] = versions
    const again = await save(database, [
      [change(b, ofB, two)],
      [change(c, ofC, undefined), change(a, ofA, two)],
    ])
    expectThat(
      !again.groups.includes(undefined),
      'newVersions',
      'It did not save or delete rows by the versions that it had returned.',
    )
    await expectRow(database, a, two, 'whole')
    await expectRow(database, b, two, 'whole')
    await expectRow(database, c, undefined, 'deletes')
  })

  // In both orders, because a database can change the rows in the order of the group, or of the keys.
  for (const order of ['before', 'after'] as const) {
    it(`does not change a row of a group if the row ${order} it has changed`, async () => {
      const database = await make()
      const [low, high] = newKeys(2).toSorted()
      const [changed, other] = order === 'before' ? [low, high] : [high, low]
      const first = await makeRow(database, changed, one)
      await save(database, [[change(changed, first, two)]])
      const mine = await makeRow(database, other, one)
      const [fresh] = newKeys(1)
      await expectUnchanged([change(changed, first, one), change(other, mine, two)])
      await expectUnchanged([change(other, mine, undefined), change(changed, first, undefined)])
      await expectUnchanged([change(changed, undefined, one), change(fresh, undefined, one)])
      await expectUnchanged([change(fresh, undefined, one), change(changed, first, one)])
      await expectUnchanged([change(fresh, mine, one), change(other, mine, two)])

      async function expectUnchanged(group: readonly ReturnType<typeof change>[]): Promise<void> {
        const saved = await save(database, [group])
        expectThat(
          saved.groups[0] === undefined,
          'whole',
          'It saved a group although one of its rows had another version.',
        )
        await expectRow(database, changed, two, 'whole')
        await expectRow(database, other, one, 'whole')
        await expectRow(database, fresh, undefined, 'whole')
      }
    })
  }

  it('saves the other groups of a call', async () => {
    const database = await make()
    const [a, b, c, d, e] = newKeys(5)
    await makeRow(database, b, one)
    const saved = await save(database, [
      [change(e, undefined, two)],
      [change(a, undefined, two), change(b, undefined, two)],
      [change(c, undefined, two), change(d, undefined, two)],
    ])
    const [single, wrong, pair] = saved.groups
    expectThat(wrong === undefined, 'whole', 'It saved a group with a row that was there already.')
    expectThat(
      single !== undefined && pair !== undefined,
      'others',
      'It did not save groups beside one that had changed.',
    )
    await expectRow(database, a, undefined, 'whole')
    await expectRow(database, b, one, 'whole')
    for (const key of [c, d, e]) await expectRow(database, key, two, 'others')
  })

  it('returns the current rows of a group that was not saved, or none at all', async () => {
    const database = await make()
    const [a, b] = newKeys(2)
    const version = await makeRow(database, a, one)
    const { rows } = await save(database, [[change(a, undefined, two)], [change(b, version, two)]])
    if (rows === undefined) return
    expectThat(rows.has(a) && rows.has(b), 'currentRows', 'It did not return each of them.')
    expectUint8Array(rows.get(a))
    expectBytes(rows.get(a), one, 'currentRows')
    expectBytes(rows.get(b), undefined, 'currentRows')
    const again = await save(database, [[change(a, rows.get(a)?.version, two)]])
    expectThat(
      again.groups[0] !== undefined,
      'currentRows',
      'A save by the version of such a row was not accepted.',
    )
  })
}
