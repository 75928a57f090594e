import { blockId } from '../block.js'
import type { BoundPolicy } from '../store.js'
import { newKeyHash } from './key-hash.js'
import { resetId } from './reset.js'
import type { BoundedTables } from './bounded-tables.js'
import type { Table } from './table.js'

/**
 * The rows of one entry: their table, and the bits that are combined with the fingerprint of a key by XOR, so that different entries have different
 * rows for the same key.
 */
export interface Partition {
  readonly table: Table
  readonly high: number
  readonly low: number
  readonly blockHigh: number
  readonly blockLow: number
  readonly resetHigh: number
  readonly resetLow: number
  /** The other partitions of the same policy name, of other algorithms. A key has a row in one of them only: the last one that was written. */
  readonly otherShapes: readonly Partition[]
}

interface NamedPartition extends Partition {
  readonly otherShapes: Partition[]
}

/**
 * The number of policy names whose partitions are remembered. The counts of a forgotten name are still found. Only rows of other algorithms under that
 * name are no longer deleted, and stay until they expire.
 */
const maxNames = 1000

/** Returns a function that finds the partition of a policy. Policies of the same name and shape share one, whatever their numbers. */
export function createPartitions(tables: BoundedTables): (entry: BoundPolicy) => Partition {
  // A hash key of its own, because otherwise a limiter key with the text of an entry's identity would have the same hash as that identity.
  const entryHash = newKeyHash()
  const byName = new Map<string, Map<string, NamedPartition>>()

  return function partitionOf({ limiter, name, steps, params }) {
    const { moments, counts } = steps.cells(params)
    const identity = JSON.stringify([limiter, name])
    const shapes = byName.get(identity) ?? new Map<string, NamedPartition>()
    // The order of the map is the order of the last use.
    byName.delete(identity)
    byName.set(identity, shapes)
    const [oldest] = byName.keys()
    if (byName.size > maxNames) byName.delete(oldest)
    const shape = JSON.stringify([limiter, name, steps.id, moments + counts])
    let partition = shapes.get(shape)
    if (partition === undefined) {
      entryHash.hash(shape)
      const { high, low } = entryHash
      entryHash.hash(JSON.stringify([limiter, name, blockId]))
      const block = { blockHigh: entryHash.high, blockLow: entryHash.low }
      entryHash.hash(JSON.stringify([limiter, name, resetId]))
      const reset = { resetHigh: entryHash.high, resetLow: entryHash.low }
      const table = tables.tableOf(moments + counts, steps.bodied === true)
      const others = [...shapes.values()]
      partition = { table, high, low, ...block, ...reset, otherShapes: others }
      for (const other of others) other.otherShapes.push(partition)
      shapes.set(shape, partition)
    }
    return partition
  }
}
