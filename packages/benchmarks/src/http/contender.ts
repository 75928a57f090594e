import type { RequestListener } from 'node:http'

/** A server with a limiter that gives every request the same answer. */
export interface Contender {
  readonly framework: string
  readonly name: string
  /** The stores that it can be measured with. Empty for the server without a limiter. */
  readonly stores: readonly Store[]
  /** Creates the application of the framework, with a limiter of its own. */
  listener(setup: Setup): Promise<RequestListener>
}

export type Store = 'memory' | 'redis'

export interface Setup {
  readonly limit: number
  readonly windowMs: number
  /** The port of Redis. Absent for counts in memory. */
  readonly redis?: number
}

export const yardstick = 'Map and 3 headers'

/** The server without a limiter. */
export const unlimited = 'no limiter'

/** The answer of all servers. */
export const answer: { readonly hello: string } = { hello: 'world' }

/** Makes the contenders of a framework. `served` creates its application with a limiter. */
export function contenderOf<Limiter>(
  framework: string,
  served: (limiter: Limiter) => Promise<RequestListener>,
): (
  name: string,
  stores: readonly Store[],
  limiter: (setup: Setup) => Promise<Limiter>,
) => Contender {
  return (name, stores, limiter) => {
    const listener = async (setup: Setup) => served(await limiter(setup))
    return { framework, name, stores, listener }
  }
}
