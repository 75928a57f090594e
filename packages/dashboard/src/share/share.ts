/** The data of other processes, and the search among the keys of a store. `redisView` makes one; an application only passes it on. */
export interface DashboardShare {
  /** The beginning of the names of all keys. */
  readonly prefix: string
  /**
   * Replaces the snapshot of a process. It ends by itself after 15 s.
   *
   * @param secret taken if there is none yet
   * @param cleared keys that the process has cleared in the last seconds
   */
  write(
    process: string,
    snapshot: string,
    secret: string,
    cleared: readonly string[],
  ): Promise<WriteReply>
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

/** The reply to a process that has written. */
export interface WriteReply {
  /** The secret of all processes. */
  readonly secret: string
  /** The keys that all processes have cleared in the last 15 s. */
  readonly cleared: readonly string[]
}

export interface ReadReply {
  readonly snapshots: Snapshots
  /** As in `WriteReply`. */
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
