import { blockId } from '../block.js'
import type { BoundPolicy } from '../store.js'
import { newKeyHash } from './key-hash.js'
import { resetId } from './reset.js'
import type { BoundedTables } from './bounded-tables.js'
import type { Table } from './table.js'

/** What sets an entry's rows apart from other entries' rows of the same key: a table, and what the key's fingerprint is mixed with. */
export interface Partition {
  readonly table: Table
  readonly high: number
  readonly low: number
  readonly blockHigh: number
  readonly blockLow: number
  readonly resetHigh: number
  readonly resetLow: number
  /** The other partitions of the policy's name: its algorithm may have been another one. Of the rows of one key, only the last written stays. */
  readonly otherShapes: readonly Partition[]
}

interface NamedPartition extends Partition {
  readonly otherShapes: Partition[]
}

/**
 * So many policy names are remembered at most. Of a forgotten name every count is still found: only the counts that another algorithm may have
 * left under it are no longer deleted, and stay until they expire.
 */
const mostNames = 1000

/** Returns a function that finds the partition of a policy. Policies of the same name and shape share one, whatever their numbers. */
export function createPartitions(tables: BoundedTables): (entry: BoundPolicy) => Partition {
  // Under a key of its own: or else a key that spells an entry's identity, and the reverse, would meet in one place.
  const entryHash = newKeyHash()
  const byName = new Map<string, Map<string, NamedPartition>>()

  return function partitionOf({ limiter, name, steps, params }) {
    const { moments, counts } = steps.cells(params)
    const identity = JSON.stringify([limiter, name])
    const shapes = byName.get(identity) ?? new Map<string, NamedPartition>()
    // The name that was used last stands last.
    byName.delete(identity)
    byName.set(identity, shapes)
    const [oldest] = byName.keys()
    if (byName.size > mostNames) byName.delete(oldest)
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
