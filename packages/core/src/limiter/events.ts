import { channel, type Channel } from '../stores/events.js'
import type { LimiterPolicy } from '../stores/store.js'
import type { ConsumeOptions, Costs } from './arguments.js'
import type { Decision, DecisionMode } from './decision.js'
import { receiptOf } from './receipt.js'

/** Published on `sluice:decision` for each decision of `consume`, and on `sluice:denial` for each denial among them. */
export interface DecisionEvent {
  readonly limiter: string
  /** The key of each policy, by its name, in the form in which the store counts it. */
  readonly keys: Readonly<Record<string, string>>
  /** A number for each policy by its name, if the policies have different costs. */
  readonly cost: Costs
  readonly decision: Decision
  /** The effect of its denial: only an `enforced` one denies the request. */
  readonly mode: DecisionMode
  /** The `request` that the caller passed: with `rateLimit`, the framework's own request. */
  readonly request?: unknown
}

export const decisionEvents: Readonly<Record<'decision' | 'denial', Channel<DecisionEvent>>> = {
  decision: channel('sluice:decision'),
  denial: channel('sluice:denial'),
}

/** Publishes the decision of a consumption, if anybody listens, and returns it. */
export function publish<D extends Decision>(
  limiter: string,
  decision: D,
  options: ConsumeOptions | undefined,
): D {
  const { decision: all, denial } = decisionEvents
  if (all.hasSubscribers || (!decision.allowed && denial.hasSubscribers)) {
    report(limiter, decision, options)
  }
  return decision
}

function report(
  limiter: string,
  decision: Decision,
  { mode = 'enforced', request }: ConsumeOptions = {},
): void {
  const receipt = receiptOf(decision)
  if (receipt === undefined) return
  const { policies, ...asked } = receipt.request
  const keys = byName(policies, asked.keys)
  const cost = typeof asked.cost === 'number' ? asked.cost : byName(policies, asked.cost)
  const event = { limiter, keys, cost, decision, mode, ...(request !== undefined && { request }) }
  decisionEvents.decision.publish(event)
  if (!decision.allowed) decisionEvents.denial.publish(event)
}

/** One value for each policy, by its name. */
function byName<T>(policies: readonly LimiterPolicy[], values: readonly T[]): Record<string, T> {
  return Object.fromEntries(policies.map(({ name }, i) => [name, values[i]]))
}
