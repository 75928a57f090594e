import { joinKey } from '../keys.js'
import { isKey, type Keys } from './arguments.js'
import { createTurns, type Turns } from './turns.js'

/** The calls for one key, in the order in which they were made. */
export interface Line {
  /** The number of calls that are not settled yet. */
  calls: number
  /** The turns in which the calls are decided. */
  readonly decisions: Turns
  /** The turns in which the calls that a leaky queue delays are started. */
  readonly delays: Turns
  /** The policies that denied the first undecided call. */
  deniedBy: readonly string[]
  /** The moment, by `performance.now()`, before which the first undecided call cannot be allowed. */
  due: number
}

export function newLine(): Line {
  return { calls: 0, decisions: createTurns(), delays: createTurns(), deniedBy: [], due: 0 }
}

/**
 * The name of the line of a key's calls, about as long as the key in a store: the same one for all ways to write the key, such as a record with one key for all
 * policies. An invalid key also has a line, whose first call throws.
 */
export function lineOf(key: Keys): string {
  if (isKey(key)) return `one ${joinKey(key)}`
  const keys = Object.entries(key).map(([name, own]) => [name, joinKey(own) ?? null] as const)
  const [first] = keys
  // A record names every policy, and a policy that it excludes has no key.
  if (first !== undefined && keys.every(([, own]) => own === first[1])) return `one ${first[1]}`
  return `each ${JSON.stringify(keys.toSorted(([one], [other]) => (one < other ? -1 : 1)))}`
}
