/** A server that answers every request alike, with a limiter in front. */
export interface Contender {
  readonly framework: string
  readonly name: string
  /** With which of its stores it can be asked for. */
  readonly stores: readonly Store[]
  /** Listens on a free port of the loopback, which it tells. */
  serve(setup: Setup): Promise<number>
}

export type Store = 'memory' | 'redis'

export interface Setup {
  readonly limit: number
  readonly windowMs: number
  /** The port of a Redis, where the counts are to live there. */
  readonly redis?: number
}

export const yardstick = 'Map and 3 headers'

/** What all of them answer. */
export const answer: { readonly hello: string } = { hello: 'world' }
