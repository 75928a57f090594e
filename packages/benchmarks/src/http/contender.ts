/** A server with a limiter that gives every request the same answer. */
export interface Contender {
  readonly framework: string
  readonly name: string
  /** The stores that it can be measured with. */
  readonly stores: readonly Store[]
  /** Listens on a free port of the loopback interface and returns the port. */
  serve(setup: Setup): Promise<number>
}

export type Store = 'memory' | 'redis'

export interface Setup {
  readonly limit: number
  readonly windowMs: number
  /** The port of Redis. Absent for counts in memory. */
  readonly redis?: number
}

export const yardstick = 'Map and 3 headers'

/** The answer of all servers. */
export const answer: { readonly hello: string } = { hello: 'world' }
