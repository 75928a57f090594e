/** The data of other processes, and the search among the keys of a store. `redisView` makes one; an application only passes it on. */
export interface DashboardShare {
  /** The beginning of the names of all keys. */
  readonly prefix: string
  /**
   * Replaces the snapshot of a process, which ends by itself after 15 s. Returns the keys that all processes have cleared in the last 15 s.
   *
   * @param cleared those of this process
   */
  write(process: string, snapshot: string, cleared: readonly string[]): Promise<readonly string[]>
  /**
   * The snapshots of the processes that have written one in the last 15 s, by the ids of the processes.
   *
   * @param known what an earlier call has read: a snapshot is not read again until it was written again
   */
  read(known?: Snapshots): Promise<ReadReply>
  /** Removes the snapshot of a process. */
  remove(process: string): Promise<void>
  /** Whether the store has counts of a key, in the form in which it is counted. */
  has(limiter: string, key: string): Promise<boolean>
  /** Looks at some of the keys of a limiter in the store, and returns where the next call continues. */
  search(limiter: string, cursor: string | undefined): Promise<FoundKeys>
}

export interface ReadReply {
  readonly snapshots: Snapshots
  /** The keys that all processes have cleared in the last 15 s. */
  readonly cleared: readonly string[]
}

/** The snapshots of processes, by their ids. */
export type Snapshots = ReadonlyMap<string, Snapshot>

/** The data that a process wrote, and the time of that. */
export interface Snapshot {
  readonly text: string
  readonly writtenAt: string
}

/** Keys of a limiter, in the form in which they are counted. */
export interface FoundKeys {
  readonly keys: readonly string[]
  /** Undefined at the end. */
  readonly cursor: string | undefined
}
