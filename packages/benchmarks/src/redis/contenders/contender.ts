import type { Redis } from 'ioredis'
import type { Decide } from '../../deciding.js'

/** A rate limiter that counts in Redis, over one connection. */
export interface Contender {
  readonly name: string
  open(client: Redis): Promise<Decide>
  /** Opens one limiter with three policies. Absent if the library has no such limiter. */
  openThree?(client: Redis): Promise<Decide>
  /** Opens a limiter that takes units of hot keys ahead. Absent if its policy, or the library, has no such form. */
  readonly openAhead?: ((client: Redis) => Promise<Decide>) | undefined
}
