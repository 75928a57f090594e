import type { Decision } from './decision.js'
import type { SluiceError } from '../errors.js'

/** A limiter decided. On `sluice:decision`, and where it denied, on `sluice:denial` too. */
export interface DecisionEvent {
  readonly limiter: string
  /** Each policy's key, by its name, in the form in which it is counted. */
  readonly keys: Readonly<Record<string, string>>
  readonly cost: number
  readonly decision: Decision
  /** What the caller passed as `request`: the framework's own request where `rateLimit` asked. */
  readonly request?: unknown
}

/** A call to the store failed. On `sluice:store:error`. */
export interface StoreErrorEvent {
  readonly store: string
  readonly error: SluiceError
}

/** The breaker left a store alone (`open`), or took it back (`closed`): once for each change. On `sluice:breaker`. */
export interface BreakerEvent {
  readonly store: string
  readonly state: 'open' | 'closed'
  /** What failed last, where it opened. */
  readonly error: SluiceError | undefined
}

/** A limiter began to decide without its store, or ended to: once for each change. On `sluice:fallback`. */
export interface FallbackEvent {
  readonly limiter: string
  readonly state: 'begun' | 'ended'
  /** What the limiter was told to do meanwhile. */
  readonly onStoreError: 'local' | 'allow' | 'deny'
  readonly error: SluiceError | undefined
}

/** A channel of `node:diagnostics_channel`, as far as it is needed here. */
export interface Channel<E> {
  readonly hasSubscribers: boolean
  publish(event: E): void
}

/**
 * What a person on call wants to know, on the channels of `node:diagnostics_channel`. Where nobody subscribes it costs one look at a flag;
 * outside of Node there are no channels.
 */
export interface Events {
  readonly decision: Channel<DecisionEvent>
  readonly denial: Channel<DecisionEvent>
  readonly storeError: Channel<StoreErrorEvent>
  readonly breaker: Channel<BreakerEvent>
  readonly fallback: Channel<FallbackEvent>
}

// Not by import: the same core runs in browsers.
const diagnostics = globalThis.process?.getBuiltinModule?.('node:diagnostics_channel')

export const events: Events = {
  decision: channel('sluice:decision'),
  denial: channel('sluice:denial'),
  storeError: channel('sluice:store:error'),
  breaker: channel('sluice:breaker'),
  fallback: channel('sluice:fallback'),
}

function channel<E>(name: string): Channel<E> {
  return diagnostics?.channel(name) ?? { hasSubscribers: false, publish() {} }
}
