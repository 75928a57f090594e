import type { SluiceError } from '../errors.js'
import { withProcess } from '../runtime.js'

/** A channel of `node:diagnostics_channel`, as far as Sluice needs it. Without a subscriber, a channel costs one read of a flag. */
export interface Channel<E> {
  readonly hasSubscribers: boolean
  publish(event: E): void
}

// Not imported, because the same core runs in browsers, which have no channels.
const diagnostics = withProcess((process) => process.getBuiltinModule?.('node:diagnostics_channel'))

export function channel<E>(name: string): Channel<E> {
  return diagnostics?.channel(name) ?? { hasSubscribers: false, publish() {} }
}

/** Published on `sluice:store:error` if a call to the store failed. */
export interface StoreErrorEvent {
  readonly store: string
  readonly error: SluiceError
}

/**
 * Published on `sluice:store:call` for each call to an asynchronous store, when the last of its requests is answered. A call of `databaseStore` loads and saves
 * rows until all its requests are decided. Pings, and requests that were not sent, have no event.
 */
export interface StoreCallEvent {
  readonly store: string
  /** The number of requests that were sent together. */
  readonly requests: number
  /** From the moment at which they were sent, with a fraction. */
  readonly durationMs: number
  /** The error of the first request that the store did not decide. */
  readonly error: SluiceError | undefined
}

/** Published on `sluice:breaker` when Sluice stops calling a store (`open`), and when it calls the store again (`closed`). */
export interface BreakerEvent {
  readonly store: string
  readonly state: 'open' | 'closed'
  /** The last failure, if the breaker opened. */
  readonly error: SluiceError | undefined
}

/** Published on `sluice:fallback` when a limiter begins and when it stops deciding without its store. */
export interface FallbackEvent {
  readonly limiter: string
  readonly state: 'begun' | 'ended'
  /** How the limiter decides in the meantime. */
  readonly onStoreError: 'local' | 'allow' | 'deny'
  readonly error: SluiceError | undefined
}

export const storeEvents: {
  readonly storeError: Channel<StoreErrorEvent>
  readonly storeCall: Channel<StoreCallEvent>
  readonly breaker: Channel<BreakerEvent>
  readonly fallback: Channel<FallbackEvent>
} = {
  storeError: channel('sluice:store:error'),
  storeCall: channel('sluice:store:call'),
  breaker: channel('sluice:breaker'),
  fallback: channel('sluice:fallback'),
}
