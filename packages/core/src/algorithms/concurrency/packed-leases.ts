import { ByteWriter, readBytes, type ByteReader } from '../bytes.js'
import { insertByLastGrant, newLeases, type Grant, type Holder, type Leases } from './leases.js'
import { insert, type Ranked, type RankedList } from './ranked-list.js'

/** The leases of a key as bytes: for each holder in its order the owner, the units, and the id and the rank of each grant. */
export function packLeases(leases: Leases): Uint8Array {
  const writer = new ByteWriter()
  const holders = itemsOf(leases)
  writer.number(holders.length)
  for (const { owner, units, grants } of holders) {
    const granted = itemsOf(grants)
    // An owner can be any text, so its presence is a number of its own.
    writer.number(owner === undefined ? 0 : 1)
    if (owner !== undefined) writer.text(owner)
    writer.number(units)
    writer.number(granted.length)
    for (const { id, rank } of granted) {
      writer.text(id)
      writer.number(rank)
    }
  }
  return writer.written
}

/** The leases of these bytes. Undefined if they are damaged, or do not hold these units in all. */
export function unpackLeases(bytes: Uint8Array, held: number): Leases | undefined {
  return readBytes(bytes, (reader) => {
    const leases = newLeases()
    let units = 0
    for (let left = reader.number(); left > 0; left--) units += readHolder(reader, leases).units
    return units === held ? leases : undefined
  })
}

function readHolder(reader: ByteReader, leases: Leases): Holder {
  const owner = reader.number() === 0 ? undefined : reader.text()
  const holder: Holder = {
    owner,
    units: reader.number(),
    grants: { first: undefined, last: undefined },
    rank: 0,
    before: undefined,
    after: undefined,
  }
  for (let left = reader.number(); left > 0; left--) {
    const id = reader.text()
    const grant: Grant = { id, holder, rank: reader.number(), before: undefined, after: undefined }
    leases.grants.set(id, grant)
    insert(holder.grants, grant)
  }
  if (owner !== undefined) leases.owners[owner] = holder
  insertByLastGrant(leases, holder)
  return holder
}

function itemsOf<T extends Ranked<T>>({ first }: RankedList<T>): readonly T[] {
  const items: T[] = []
  for (let item = first; item !== undefined; item = item.after) items.push(item)
  return items
}
