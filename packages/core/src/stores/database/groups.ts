import type { PendingRequest } from '../pending.js'
import type { KnownRow } from './loaded-rows.js'

/** A request on its way through the database. */
export class Item {
  readonly pending: PendingRequest
  /** The row of each of its policies. */
  readonly keys: readonly string[]
  /** The latest monotonic time at which it may still take units. */
  readonly dueAt: number
  /** Whether another process has changed one of its rows while it was decided. */
  hasConflicted = false

  constructor(pending: PendingRequest, keys: readonly string[], dueAt: number) {
    this.pending = pending
    this.keys = keys
    this.dueAt = dueAt
  }
}

/** Requests that share rows, directly or through other requests, and are not answered yet. Their rows are saved together. */
export interface Group {
  /** Each key once. */
  readonly keys: readonly string[]
  /** In the order in which they were made. */
  items: readonly Item[]
  /** The rows by which it is decided next. Undefined: they have to be loaded. */
  rows: ReadonlyMap<string, KnownRow | undefined> | undefined
  /** The time of the database by which these rows are decided. */
  now: number
  /** Whether the rows are those that this process remembers. */
  isGuess: boolean
  /** Whether the database did not save it. */
  isAgain: boolean
}

export function groupsOf(items: readonly Item[]): Group[] {
  if (items.length === 1) return [groupOf(new Set(items[0].keys), items)]
  /** For each key that is not the first of its group, another key of the group. */
  const leaders = new Map<string, string>()

  function leaderOf(key: string): string {
    let leader = key
    for (let next = leaders.get(leader); next !== undefined; next = leaders.get(leader)) {
      leader = next
    }
    return leader
  }

  for (const { keys } of items) {
    const first = leaderOf(keys[0])
    for (let i = 1; i < keys.length; i++) {
      const other = leaderOf(keys[i])
      if (other !== first) leaders.set(other, first)
    }
  }
  const groups = new Map<string, { keys: Set<string>; items: Item[] }>()
  for (const item of items) {
    const leader = leaderOf(item.keys[0])
    const group = groups.get(leader) ?? { keys: new Set(), items: [] }
    groups.set(leader, group)
    group.items.push(item)
    for (const key of item.keys) group.keys.add(key)
  }
  return Array.from(groups.values(), ({ keys, items: own }) => groupOf(keys, own))
}

function groupOf(keys: ReadonlySet<string>, items: readonly Item[]): Group {
  return { keys: [...keys], items, rows: undefined, now: 0, isGuess: false, isAgain: false }
}
