import { blockId } from '../block.js'
import type { Entry } from '../store.js'
import { newKeyHash } from './key-hash.js'
import { resetId } from './reset.js'
import type { Room } from './room.js'
import type { Table } from './table.js'

/** What sets an entry's rows apart from other entries' rows of the same key: a table, and what the key's fingerprint is mixed with. */
export interface Shelf {
  readonly table: Table
  readonly high: number
  readonly low: number
  readonly blockHigh: number
  readonly blockLow: number
  readonly resetHigh: number
  readonly resetLow: number
  /** All shelves of the policy's name: its algorithm may have been another one. Of the rows of one key, only the last written stays. */
  readonly rivals: ReadonlyMap<string, Shelf>
}

/**
 * So many policy names are remembered at most. Of a forgotten name every count is still found: only the counts that another algorithm may have
 * left under it are no longer deleted, and stay until they expire.
 */
const mostNames = 1000

/** Makes what finds the shelf of an entry. Entries of the same name and shape have the same one, whatever their numbers. */
export function createShelves(room: Room): (entry: Entry) => Shelf {
  // Under a key of its own: or else a key that spells an entry's identity, and the reverse, would meet in one place.
  const entryHash = newKeyHash()
  const byName = new Map<string, Map<string, Shelf>>()

  return function shelfOf({ limiter, name, steps, params }) {
    const { moments, counts } = steps.cells(params)
    const identity = JSON.stringify([limiter, name])
    const rivals = byName.get(identity) ?? new Map<string, Shelf>()
    // The name that was used last stands last.
    byName.delete(identity)
    byName.set(identity, rivals)
    const [oldest] = byName.keys()
    if (byName.size > mostNames) byName.delete(oldest)
    const shape = JSON.stringify([limiter, name, steps.id, moments + counts])
    let shelf = rivals.get(shape)
    if (shelf === undefined) {
      entryHash.hash(shape)
      const { high, low } = entryHash
      entryHash.hash(JSON.stringify([limiter, name, blockId]))
      const block = { blockHigh: entryHash.high, blockLow: entryHash.low }
      entryHash.hash(JSON.stringify([limiter, name, resetId]))
      const reset = { resetHigh: entryHash.high, resetLow: entryHash.low }
      const table = room.tableOf(moments + counts, 'over' in steps)
      shelf = { table, high, low, ...block, ...reset, rivals }
      rivals.set(shape, shelf)
    }
    return shelf
  }
}
