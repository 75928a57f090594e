import { channel } from 'node:diagnostics_channel'
import type { BreakerEvent, DecisionEvent, FallbackEvent, StoreCallEvent } from '@sluice/core'
import type { RulesEvent } from '@sluice/rules'

type Decided = DecisionEvent['decision'] & { readonly exempt?: boolean }

/** Publishes the event of a decision. */
export function decide(
  limiter: string,
  decision: Partial<Decided> = {},
  mode: DecisionEvent['mode'] = 'enforced',
): void {
  const whole = { allowed: true, source: 'store', deniedBy: [], ...decision }
  const event = { limiter, keys: { default: 'ada' }, cost: 1, decision: whole, mode }
  publish('sluice:decision', event)
}

export function callStore(store: string, requests: number, durationMs: number): void {
  const event: StoreCallEvent = { store, requests, durationMs, error: undefined }
  publish('sluice:store:call', event)
}

export function failStore(store: string, code: string): void {
  publish('sluice:store:error', { store, error: { code } })
}

export function changeBreaker(store: string, state: BreakerEvent['state']): void {
  const event: BreakerEvent = { store, state, error: undefined }
  publish('sluice:breaker', event)
}

export function changeFallback(limiter: string, state: FallbackEvent['state']): void {
  const event: FallbackEvent = { limiter, state, onStoreError: 'local', error: undefined }
  publish('sluice:fallback', event)
}

export function changeRules(event: RulesEvent): void {
  publish('sluice:rules', event)
}

export function publish(name: string, event: unknown): void {
  channel(name).publish(event)
}
