import type { Row } from '../../algorithms/algorithm.js'
import { ByteWriter, readBytes, type ByteReader } from '../../algorithms/bytes.js'

/** A part of a key's state: the row of one form of a policy; the policy's override (id 127); the mark of a damaged row (id 124); or nothing (id 122). */
export interface Part {
  /** The name of the policy. */
  readonly name: string
  /** The id of the algorithm. With the number of cells, it is the form of the row. */
  readonly id: number
  readonly row: Row
  /** The time from which the part means the same as none, by the clock of the requests that changed it. */
  readonly ends: number
  /** The records of the algorithm, if it has any. */
  readonly body: Uint8Array | undefined
}

/** The ids of parts that are rows of no algorithm. */
export const overrideId = 127

/** A part instead of a row that could not be read. It belongs to no policy. */
export const damageId = 124

/** The part of a row that has no other. It means the same as no row. */
export const emptyId = 122

/**
 * The first byte. A new layout gets the next number, and its number becomes a part of the key: during a rolling deploy, two layouts have a row each. A row
 * of any other layout cannot be read.
 */
const layout = 1

/** Whether a part is a row of an algorithm. */
export function isForm({ id }: Part): boolean {
  return ![overrideId, damageId, emptyId].includes(id)
}

/** The largest row, in bytes. A database with a smaller limit could not keep the log of a policy. */
export const mostBytes = 65_536

/** Packs the parts of a state: for each its name, id, end, number of cells, cells and body. */
export function packState(parts: readonly Part[]): Uint8Array {
  const writer = new ByteWriter()
  writer.number(layout)
  for (const { name, id, row, ends, body } of parts) {
    // The name that most policies have takes a single byte.
    writer.text(name === 'default' ? '' : name)
    writer.number(id)
    writer.number(ends)
    writer.number(row.length)
    for (const cell of row) writer.number(cell)
    writer.bytes(body ?? nothing)
  }
  return writer.written
}

/** Reads the parts. Undefined if the state is cut or damaged. */
export function readState(bytes: Uint8Array): Part[] | undefined {
  // The database can be one that an application has written.
  return ArrayBuffer.isView(bytes) ? readBytes(bytes, readParts) : undefined
}

function readParts(reader: ByteReader): Part[] | undefined {
  if (reader.number() !== layout) return undefined
  const parts: Part[] = []
  while (!reader.isAtEnd) parts.push(readPart(reader))
  // A row without parts is deleted, so these bytes have been cut.
  return parts.length === 0 ? undefined : parts
}

function readPart(reader: ByteReader): Part {
  const name = reader.text() || 'default'
  const id = reader.number()
  const ends = reader.number()
  const row: Row = []
  for (let left = reader.number(); left > 0; left--) row.push(reader.number())
  const body = reader.bytes()
  return { name, id, row, ends, body: body.length === 0 ? undefined : body }
}

const nothing = new Uint8Array()
