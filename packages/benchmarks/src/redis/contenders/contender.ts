import type { Redis } from 'ioredis'

/** A rate limiter that counts in Redis, over one connection. */
export interface Contender {
  readonly name: string
  open(client: Redis): Promise<Decide>
  /** Opens one limiter with three policies. Absent if the library has no such limiter. */
  openThree?(client: Redis): Promise<Decide>
  /** Opens a limiter that takes units of hot keys ahead. Absent if its policy, or the library, has no such form. */
  readonly openAhead?: ((client: Redis) => Promise<Decide>) | undefined
}

/** Takes one unit and returns whether it was allowed. */
export type Decide = (key: string) => Promise<boolean>

/** No decision is denied while it is timed: a denial writes less. */
export const limit = 1e8
export const windowMs = 3_600_000

/** Decides by a limiter of rate-limiter-flexible, which rejects a denial with something that is not an Error. */
export function consuming(limiter: { consume(key: string): Promise<unknown> }): Decide {
  return async (key) => {
    try {
      await limiter.consume(key)
      return true
    } catch (denial) {
      if (denial instanceof Error) throw denial
      return false
    }
  }
}
