import { randomUUID } from 'node:crypto'
import type { Change, Database, Saved, Span, StoredRow } from '@sluice/core/database'
import { expectReply, expectThat, type Sentence } from './contract.js'

/** A span that contains every time. */
export const always: Span = { from: 0, until: 2 ** 52 }

/** The year 2096. A row with this end never disappears. */
const later = 4_000_000_000_000

/** Keys that no other test uses. */
export function newKeys(count: number): string[] {
  return Array.from({ length: count }, () => `sluice:test:1{${randomUUID()}}`)
}

export function change(
  key: string,
  version: unknown,
  bytes: Uint8Array | undefined,
  endsAt: number = later,
): Change {
  return { key, version, bytes, endsAt }
}

/** Saves groups. The reply has to be about each of them. */
export async function save(
  database: Database,
  groups: readonly (readonly Change[])[],
  span: Span = always,
  sentence: Sentence = 'conflict',
): Promise<Saved> {
  const saved = await expectReply(database.save(groups, span), sentence)
  expectThat(
    saved.groups.length === groups.length &&
      saved.groups.every(
        (versions, i) => versions === undefined || versions.length === groups[i].length,
      ),
    'newVersions',
    `It was asked to save groups of ${groups.map((group) => group.length).join(', ')} changes, and returned ${lengthsOf(saved)} versions.`,
  )
  return saved
}

/** Saves one row, and returns its new version; undefined if it was not saved. */
export async function saveOne(
  database: Database,
  key: string,
  version: unknown,
  bytes: Uint8Array,
  span: Span = always,
): Promise<unknown> {
  const { groups } = await save(database, [[change(key, version, bytes)]], span)
  return groups[0]?.[0]
}

/** Makes a row, and returns its version. */
export async function makeRow(
  database: Database,
  key: string,
  bytes: Uint8Array,
  sentence: Sentence = 'whole',
): Promise<unknown> {
  const { groups } = await save(database, [[change(key, undefined, bytes)]], always, sentence)
  const version = groups[0]?.[0]
  expectThat(version !== undefined, sentence, 'It did not save a row where there was none.')
  return version
}

/** Loads rows, one for each key. */
export async function load(
  database: Database,
  keys: readonly string[],
  sentence: Sentence = 'load',
): Promise<readonly (StoredRow | undefined)[]> {
  const { rows } = await expectReply(database.load(keys), sentence)
  expectThat(
    rows.length === keys.length,
    'order',
    `It was asked for ${keys.length} keys, and returned ${rows.length} rows.`,
  )
  for (const row of rows) expectUint8Array(row)
  return rows
}

/** A test runner can have a `Uint8Array` of its own, so `instanceof` does not recognize all of them. */
export function expectUint8Array(row: StoredRow | undefined): void {
  const type = Object.prototype.toString.call(row?.bytes)
  expectThat(
    row === undefined || type === '[object Uint8Array]',
    'bytes',
    `The state of a row is ${type}, and not a Uint8Array.`,
  )
}

/** The row of a key must have these bytes; undefined: there must be no row. */
export async function expectRow(
  database: Database,
  key: string,
  bytes: Uint8Array | undefined,
  sentence: Sentence,
): Promise<void> {
  const [row] = await load(database, [key])
  expectBytes(row, bytes, sentence)
}

export function expectBytes(
  row: StoredRow | undefined,
  bytes: Uint8Array | undefined,
  sentence: Sentence,
): void {
  expectThat(
    same(row?.bytes, bytes),
    sentence,
    `There is ${shown(row?.bytes)} instead of ${shown(bytes)}.`,
  )
}

function same(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return one.length === other.length && one.every((byte, i) => byte === other[i])
}

function shown(bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return 'no row'
  const list = Array.from(bytes.subarray(0, 8)).join(' ')
  return `a row of ${bytes.length} bytes (${list}${bytes.length > 8 ? ' …' : ''})`
}

function lengthsOf({ groups }: Saved): string {
  return groups.map((versions) => versions?.length ?? 'no').join(', ')
}
