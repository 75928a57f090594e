import type { Source } from '@sluice/core'
import type { Route } from './app/limits.js'
import type { Answered } from './load.js'
import type { Stall } from './moments.js'

/** A period with the same expectations. */
export interface Phase {
  readonly name: string
  readonly from: number
  /** The sources that may decide about a key. */
  readonly sources: (key: string, route: Route) => readonly Source[]
  /** How long the change may take. Until then the sources of the previous phase are allowed as well. */
  readonly settlesMs: number
  /** Whether the phase began when Redis was available again. */
  readonly isReturn: boolean
}

/** The counts of Redis at the end. */
interface Counted {
  /** For each key, the units of both routes. The count of a missing key is unknown. */
  readonly units: ReadonlyMap<string, number>
  /**
   * The number of requests in flight when replies may have been lost: Redis may have counted them.
   */
  readonly unknown: number
  /** The number of answered requests that Redis may have lost, for example if a master crashes before its replica has received them. */
  readonly forgettable: number
}

/** Everything that was recorded while one fault was played. */
export interface Recorded {
  readonly phases: readonly Phase[]
  readonly answers: readonly Answered[]
  /** The longest time for which the client itself may keep the process busy. */
  readonly busyMs: number
  readonly appStalls: readonly Stall[]
  readonly loadStalls: readonly Stall[]
  readonly counted: Counted | undefined
  /** When Redis lost the counts of some keys. */
  readonly emptied: readonly Emptied[]
  /** An unexpected failure, such as the end of the application. */
  readonly broken: string | undefined
  /** The errors of the store, which explain a row that fails. */
  readonly errors: readonly string[]
}

export interface Emptied {
  readonly at: number
  /** A request or an answer between `at` and `until` may belong to the time before or after the loss. */
  readonly until: number
  readonly keys: readonly string[]
}
