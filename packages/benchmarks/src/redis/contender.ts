import type { Redis } from 'ioredis'

/** Something that counts in Redis, over one connection, and says whether one more is allowed. */
export interface Contender {
  readonly name: string
  open(client: Redis): Promise<Decide>
}

export type Decide = (key: string) => Promise<boolean>

/** Nobody is denied while this is timed: a denial writes less. */
export const limit = 1e8
export const windowMs = 3_600_000
