/**
 * A database that keeps the rows of a store: `databaseStore` needs these two functions, and calls the others if they are there. The process decides, and
 * saves a row only if nobody has changed it since. `describeDatabase` of `@sluice/testing` checks every sentence of this contract.
 *
 * A key is well-formed text of at most 1,000 bytes in UTF-8, without U+0000. Two keys are the same only if all their bytes are: neither their case nor
 * spaces at their end may be ignored. A row has at most 64 KiB, with bytes of any value.
 *
 * A failure that lasts until somebody repairs it, such as a missing table, can be a SluiceError with the code SLUICE_STORE_REFUSED. The first one of a
 * process is also a warning.
 */
export interface Database {
  /** Appears in errors and events. */
  readonly name: string
  /**
   * Reads the rows of different keys, up to 256, and the time. Without keys it answers whether the database is available. It should then fail, or wait, while a
   * lock stops every save: otherwise requests wait for that lock again and again. It never reads from a replica, which can be behind.
   */
  load(keys: readonly string[]): Promise<Loaded>
  /**
   * Saves each group whole if all its rows still have the versions that were loaded, or else does not change any of them. A group does not depend on the
   * other groups of the call. No key is in two groups. Outside of the span nothing is saved.
   *
   * All groups of a call have at most 256 rows together, which can be those of a single group: requests that share a key are saved together. A database that
   * cannot save so many rows at once rejects before it has saved any.
   *
   * A conflict that the database itself reports (a serialization failure, a deadlock, the lock of a row that is not free) is a group that was not saved. Any
   * other error rejects: it is then unknown whether the groups were saved, and the call is not repeated.
   */
  save(groups: readonly (readonly Change[])[], span: Span): Promise<Saved>
  /** Deletes some rows that have ended. It is called after about one save in a hundred, and not awaited. A database that deletes such rows itself has none. */
  clean?(): Promise<void>
  /** Releases what the database itself has opened. A client that the application has passed stays open. */
  close?(): Promise<void>
}

/** The reply to `load`. */
export interface Loaded {
  /**
   * The time of the database, in milliseconds since the epoch. A fraction is cut off. All processes decide by this clock. A database without a clock returns
   * `Date.now()` of the process: then counts are still exact, and windows differ by as much as the clocks of the processes.
   */
  readonly now: number
  /** The rows in the order of the keys. Undefined: there is no row. */
  readonly rows: readonly (StoredRow | undefined)[]
}

/** A row as the database has it. */
export interface StoredRow {
  /**
   * Identifies this state of the row. It is never the version of another state of the same key, not even after the row was deleted and made again. A
   * counter that starts at a random number does; so does a revision of the database. Only the database reads it.
   */
  readonly version: unknown
  /** The state that was saved, or no bytes if the database cannot read it: as an absent row, it would allow every request. */
  readonly bytes: Uint8Array
}

/** A row to save. */
export interface Change {
  /** The key of the row. */
  readonly key: string
  /** The version that was loaded or saved last. Undefined: there was no row, or it has ended. */
  readonly version: unknown
  /** The new state. Undefined: the row is deleted. */
  readonly bytes: Uint8Array | undefined
  /**
   * In milliseconds since the epoch. From this time of the database on, the row may be deleted, and a change without a version replaces it, with a version of
   * its own. Before it, no row may disappear.
   */
  readonly endsAt: number
}

/** The times of the database between which a save is valid, both included, in milliseconds since the epoch. */
export interface Span {
  /** The time by which the groups were decided. An earlier clock saves nothing, so that it cannot save a decision of the future. */
  readonly from: number
  /** The deadline. A call that waited for a connection or a lock until after it saves nothing, because nobody waits for its reply. */
  readonly until: number
}

/** The reply to `save`. */
export interface Saved {
  /** The time of the database, as in `Loaded`. */
  readonly now: number
  /** For each group the new versions of its changes, in their order. Undefined: the group was not saved. The version of a deleted row is not used. */
  readonly groups: readonly (readonly unknown[] | undefined)[]
  /** The current rows of the groups that were not saved, by key, if the database can return them in the same round trip. Otherwise they are loaded. */
  readonly rows?: ReadonlyMap<string, StoredRow | undefined>
}
