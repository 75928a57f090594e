import { subscribe, unsubscribe } from 'node:diagnostics_channel'

/** The parts of the events that are counted. */
export interface DecisionCounted {
  readonly limiter: string
  /** Undefined if another version of core has published it. */
  readonly mode?: string
  readonly decision: {
    readonly allowed: boolean
    readonly exempt?: boolean
    readonly source: string
    readonly deniedBy: readonly string[]
  }
}

export interface StoreCallCounted {
  readonly store: string
  readonly requests: number
  readonly durationMs: number
}

export interface StoreErrorCounted {
  readonly store: string
  readonly error: { readonly code: string }
}

export interface BreakerCounted {
  readonly store: string
  readonly state: 'open' | 'closed'
}

export interface FallbackCounted {
  readonly limiter: string
  readonly state: 'begun' | 'ended'
}

export type RulesCounted =
  | { readonly state: 'override-late'; readonly rule: string }
  | {
      readonly state: 'loaded' | 'rejected' | 'source-failed'
      readonly name: string | undefined
    }

/** The events of each channel. */
export interface Events {
  readonly 'sluice:decision': DecisionCounted
  readonly 'sluice:store:call': StoreCallCounted
  readonly 'sluice:store:error': StoreErrorCounted
  readonly 'sluice:breaker': BreakerCounted
  readonly 'sluice:fallback': FallbackCounted
  readonly 'sluice:rules': RulesCounted
}

type Handlers = { readonly [C in keyof Events]: (event: Events[C]) => void }

/** Makes the functions that subscribe all handlers, and that unsubscribe them. */
export function createSubscription(handlers: Handlers): {
  readonly start: () => void
  readonly stop: () => void
} {
  const listeners = [
    listener('sluice:decision', handlers['sluice:decision']),
    listener('sluice:store:call', handlers['sluice:store:call']),
    listener('sluice:store:error', handlers['sluice:store:error']),
    listener('sluice:breaker', handlers['sluice:breaker']),
    listener('sluice:fallback', handlers['sluice:fallback']),
    listener('sluice:rules', handlers['sluice:rules']),
  ]
  return {
    start() {
      for (const { channel, listen } of listeners) subscribe(channel, listen)
    },
    stop() {
      for (const { channel, listen } of listeners) unsubscribe(channel, listen)
    },
  }
}

interface Listener {
  readonly channel: string
  readonly listen: (event: unknown) => void
}

/** An error in a subscriber ends the process. An event that cannot be counted, because another program has published it, is ignored. */
function listener<C extends keyof Events>(
  channel: C,
  handle: (event: Events[C]) => void,
): Listener {
  function listen(event: unknown): void {
    try {
      if (isOf(channel, event)) handle(event)
    } catch {
      // Nothing to count.
    }
  }
  return { channel, listen }
}

/** The channels of Sluice have no other events. */
function isOf<C extends keyof Events>(_channel: C, event: unknown): event is Events[C] {
  return typeof event === 'object' && event !== null
}
