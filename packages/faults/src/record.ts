import type { Source } from '@sluice/core'
import type { Route } from './limits.js'
import type { Answered } from './load.js'
import type { Stall } from './moments.js'

/** A time in which the same is expected all along. */
export interface Phase {
  readonly name: string
  readonly from: number
  /** Who may decide about a key. */
  readonly sources: (key: string, route: Route) => readonly Source[]
  /** So long it may take until that is so; until then the phase before holds too. */
  readonly settlesMs: number
  /** Whether it began with the return of Redis. */
  readonly isReturn: boolean
}

/** What Redis has counted in the end. */
interface Counted {
  /** For each key, of both routes together. Of a key that is absent here, nobody knows. */
  readonly units: ReadonlyMap<string, number>
  /**
   * How many requests were on their way at a moment where Redis may have counted them and its reply was lost: they may stand.
   */
  readonly unknown: number
  /** How many requests Redis may have forgotten that it had told of, as a master that dies before its replica has heard of them. */
  readonly forgettable: number
}

/** Everything that was seen while one fault was played. */
export interface Recorded {
  readonly phases: readonly Phase[]
  readonly answers: readonly Answered[]
  readonly appStalls: readonly Stall[]
  readonly loadStalls: readonly Stall[]
  readonly counted: Counted | undefined
  /** When what Redis knew of some keys was lost. */
  readonly emptied: readonly Emptied[]
  /** What broke by itself: the application that ended. */
  readonly broken: string | undefined
  /** What the store failed with: to explain a row that does not hold. */
  readonly errors: readonly string[]
}

export interface Emptied {
  readonly at: number
  /** What was asked or answered between these two, was so before it or after it: nobody knows. */
  readonly until: number
  readonly keys: readonly string[]
}
