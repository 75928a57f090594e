import { expectThat } from './contract.js'
import {
  always,
  change,
  expectBytes,
  expectRow,
  load,
  makeRow,
  newKeys,
  save,
  saveOne,
} from './rows.js'
import type { DatabaseFactory, DefineTest } from './suite.js'

/** The bytes, keys and versions of rows. */
export function describeStates(make: DatabaseFactory, it: DefineTest): void {
  it('loads nothing for keys that were never saved, and answers without keys', async () => {
    const database = await make()
    const keys = newKeys(2)
    for (const row of await load(database, keys)) expectBytes(row, undefined, 'order')
    await load(database, [], 'ping')
    await expectRow(database, keys[0], undefined, 'order')
  })

  it('loads 256 rows in the order of the keys', async () => {
    const database = await make()
    const keys = newKeys(256)
    const saved = await save(
      database,
      keys.map((key, i) => [change(key, undefined, Uint8Array.of(i))]),
    )
    expectThat(!saved.groups.includes(undefined), 'whole', 'It did not save 256 new rows.')
    const rows = await load(database, keys.toReversed())
    const count = rows.filter((row) => row !== undefined).length
    expectThat(count === 256, 'load', `It loaded ${count} of 256 rows.`)
    rows.forEach((row, i) => expectBytes(row, Uint8Array.of(255 - i), 'order'))
  })

  it('keeps bytes of any value, and rows of up to 64 KiB', async () => {
    const database = await make()
    const all = Uint8Array.from({ length: 256 }, (_, i) => i)
    for (const bytes of [all, all.toReversed(), new Uint8Array(65_536).fill(255)]) {
      const [key] = newKeys(1)
      const version = await makeRow(database, key, bytes, 'bytes')
      await expectRow(database, key, bytes, 'bytes')
      const next = bytes.toReversed()
      expectThat(
        (await saveOne(database, key, version, next)) !== undefined,
        'bytes',
        'It did not save the bytes in the opposite order.',
      )
      await expectRow(database, key, next, 'bytes')
    }
  })

  it('has a row for each key that differs in any byte', async () => {
    const database = await make()
    const [start] = newKeys(1)
    const keys = endings.map((ending) => start + ending)
    const saved = await save(
      database,
      keys.map((key, i) => [change(key, undefined, Uint8Array.of(i))]),
      always,
      'text',
    )
    const taken = keys.filter((_, i) => saved.groups[i] === undefined)
    expectThat(taken.length === 0, 'sameKey', `There was a row for ${JSON.stringify(taken)}.`)
    const rows = await load(database, keys, 'text')
    rows.forEach((row, i) => expectBytes(row, Uint8Array.of(i), 'sameKey'))
  })

  it('does not save a row by an earlier version, nor a new row over another', async () => {
    const database = await make()
    const [key] = newKeys(1)
    const first = await makeRow(database, key, Uint8Array.of(1))
    const second = await saveOne(database, key, first, Uint8Array.of(2))
    expectThat(second !== undefined, 'loadedVersion', 'It did not save a row by its last version.')
    await expectNotSaved(key, first, 'loadedVersion')
    await expectNotSaved(key, undefined, 'loadedVersion')
    const [row] = await load(database, [key])
    const third = await saveOne(database, key, row?.version, Uint8Array.of(3))
    expectThat(third !== undefined, 'loadedVersion', 'It did not save a row by the loaded version.')
    await expectRow(database, key, Uint8Array.of(3), 'whole')

    async function expectNotSaved(
      of: string,
      version: unknown,
      sentence: 'loadedVersion',
    ): Promise<void> {
      const saved = await saveOne(database, of, version, Uint8Array.of(9))
      expectThat(
        saved === undefined,
        sentence,
        'It saved a row by a version that the row no longer had.',
      )
      await expectRow(database, of, Uint8Array.of(2), sentence)
    }
  })

  it('deletes a row by its version only, and never uses that version again', async () => {
    const database = await make()
    const [key] = newKeys(1)
    const versions = [await makeRow(database, key, Uint8Array.of(0))]
    const wrong = await saveOne(database, key, versions[0], Uint8Array.of(1))
    const early = await save(database, [[change(key, versions[0], undefined)]])
    expectThat(early.groups[0] === undefined, 'deletes', 'It deleted a row by an earlier version.')
    versions.push(wrong)
    for (let i = 0; i < 5; i++) {
      const deleted = await save(database, [[change(key, versions.at(-1), undefined)]])
      expectThat(
        deleted.groups[0] !== undefined,
        'deletes',
        'It did not delete a row by its version.',
      )
      await expectRow(database, key, undefined, 'deletes')
      versions.push(await makeRow(database, key, Uint8Array.of(i)))
      for (const old of versions.slice(0, -1)) {
        const saved = await saveOne(database, key, old, Uint8Array.of(99))
        expectThat(
          saved === undefined,
          'version',
          'The row was deleted and made again, and a save by a version from before was accepted.',
        )
      }
    }
  })

  it('does not disconnect the client of the application', async () => {
    const database = await make()
    await database.close?.()
    const [key] = newKeys(1)
    await makeRow(await make(), key, Uint8Array.of(1), 'close')
  })
}

/** Rows whose state the database cannot read. */
export function describeDamage(
  make: DatabaseFactory,
  it: DefineTest,
  damage: (key: string) => Promise<void> | void,
): void {
  it('returns a row that it cannot read without bytes, and replaces it by its version only', async () => {
    const database = await make()
    const [key, other] = newKeys(2)
    for (const one of [key, other]) await makeRow(database, one, Uint8Array.of(1))
    await damage(key)
    const [row, intact] = await load(database, [key, other], 'unreadable')
    expectBytes(row, new Uint8Array(), 'unreadable')
    expectBytes(intact, Uint8Array.of(1), 'unreadable')
    const added = await saveOne(database, key, undefined, Uint8Array.of(2))
    expectThat(added === undefined, 'unreadable', 'It saved a new row over one that was there.')
    const replaced = await saveOne(database, key, row?.version, Uint8Array.of(2))
    expectThat(replaced !== undefined, 'unreadable', 'It did not replace the row by its version.')
    await expectRow(database, key, Uint8Array.of(2), 'unreadable')
  })
}

/** Keys that databases are known to mix up: by case, accents, a normal form, spaces at the end, or a collation; and keys with marks of a language. */
const endings = [
  'a',
  'A',
  'ä',
  'a\u0308',
  'á',
  'a ',
  'a  ',
  ' a',
  'a\t',
  'a%',
  'a_',
  '%',
  "a'",
  'a"',
  'a\\',
  'a\\0',
  'a;--',
  '$1',
  '?',
  ':a',
  'ß',
  'ss',
  'İ',
  'i',
  '\u200B',
  '\uFFFD',
  '\u{1F600}',
  '\u{1F601}',
  'x'.repeat(900),
  `${'x'.repeat(899)}y`,
  '\u{1F600}'.repeat(230),
]
