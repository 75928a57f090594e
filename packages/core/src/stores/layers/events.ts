import type { SluiceError } from '../../errors.js'
import { channel, type Channel } from './channel.js'

/** A call to the store failed. On `sluice:store:error`. */
export interface StoreErrorEvent {
  readonly store: string
  readonly error: SluiceError
}

/** The breaker stopped calling a store (`open`), or calls it again (`closed`): one event for each change. On `sluice:breaker`. */
export interface BreakerEvent {
  readonly store: string
  readonly state: 'open' | 'closed'
  /** The last failure, if the breaker opened. */
  readonly error: SluiceError | undefined
}

/** A limiter began or stopped deciding without its store: one event for each change. On `sluice:fallback`. */
export interface FallbackEvent {
  readonly limiter: string
  readonly state: 'begun' | 'ended'
  /** How the limiter decides meanwhile. */
  readonly onStoreError: 'local' | 'allow' | 'deny'
  readonly error: SluiceError | undefined
}

interface StoreEvents {
  readonly storeError: Channel<StoreErrorEvent>
  readonly breaker: Channel<BreakerEvent>
  readonly fallback: Channel<FallbackEvent>
}

export const storeEvents: StoreEvents = {
  storeError: channel('sluice:store:error'),
  breaker: channel('sluice:breaker'),
  fallback: channel('sluice:fallback'),
}
