import type { Row } from '../../algorithms/algorithm.js'
import { ByteWriter, readBytes, type ByteReader } from '../../algorithms/bytes.js'
import type { StoredRow } from './database.js'

/** A state in the row of a key: the count of one layout of a policy; the override of a policy (id 127); the mark of a damaged row (id 124); or nothing (id 122). */
export interface StoredState {
  /** The name of the policy. */
  readonly name: string
  /** The id of the algorithm. With the number of cells, it is the layout of the count. */
  readonly id: number
  readonly row: Row
  /** The time from which the state means the same as none, by the clock of the requests that changed it. */
  readonly endsAt: number
  /** The packed records of the algorithm, if it has any. */
  readonly records: Uint8Array | undefined
}

/** The row of a key that was read. */
export interface KnownRow {
  readonly version: unknown
  /** Undefined if the row cannot be read. */
  readonly states: readonly StoredState[] | undefined
  /** The number of its bytes. */
  readonly size: number
}

/** The ids of states that belong to no algorithm. */
export const overrideId = 127

/** A state instead of a row that could not be read. It belongs to no policy. */
export const damageId = 124

/** The state of a row that has no other. It means the same as no row. */
export const emptyId = 122

/**
 * The first byte. A new layout gets the next number, and its number becomes a part of the key: during a rolling deploy, two layouts have a row each. A row
 * of any other layout cannot be read.
 */
const layout = 1

/** Whether a state is a count of an algorithm. */
export function isCount({ id }: StoredState): boolean {
  return ![overrideId, damageId, emptyId].includes(id)
}

/** The largest row, in bytes. A database with a smaller limit could not keep the log of a policy. */
export const mostBytes = 65_536

/** Packs the states of a row: for each its name, id, end, number of cells, cells and records. */
export function packStates(states: readonly StoredState[]): Uint8Array {
  const writer = new ByteWriter()
  writer.number(layout)
  for (const { name, id, row, endsAt, records } of states) {
    // The name that most policies have takes a single byte.
    writer.text(name === 'default' ? '' : name)
    writer.number(id)
    writer.number(endsAt)
    writer.number(row.length)
    for (const cell of row) writer.number(cell)
    writer.bytes(records ?? new Uint8Array())
  }
  return writer.written
}

/** Reads a row that was loaded. */
export function readRow(row: StoredRow | undefined): KnownRow | undefined {
  if (row === undefined) return undefined
  const { version, bytes } = row
  const states = readStates(bytes)
  return { version, states, size: states === undefined ? 0 : bytes.length }
}

/** Undefined if the bytes are cut or damaged. */
export function readStates(bytes: Uint8Array): StoredState[] | undefined {
  // The database can be one that an application has written.
  return ArrayBuffer.isView(bytes) ? readBytes(bytes, readEach) : undefined
}

function readEach(reader: ByteReader): StoredState[] | undefined {
  if (reader.number() !== layout) return undefined
  const states: StoredState[] = []
  while (!reader.isAtEnd) states.push(readState(reader))
  // A row without states is deleted, so these bytes have been cut.
  return states.length === 0 ? undefined : states
}

function readState(reader: ByteReader): StoredState {
  const name = reader.text() || 'default'
  const id = reader.number()
  const endsAt = reader.number()
  const row: Row = []
  for (let left = reader.number(); left > 0; left--) row.push(reader.number())
  const records = reader.bytes()
  return { name, id, row, endsAt, records: records.length === 0 ? undefined : records }
}
