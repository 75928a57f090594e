import { channel, type Channel } from '../stores/events.js'
import type { ConsumeOptions, Costs } from './arguments.js'
import type { Decision, DecisionMode } from './decision.js'
import { byName } from './read-decision.js'
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

/** Published on `sluice:adjustment` when the cost of a decision was adjusted. */
export interface AdjustmentEvent extends Pick<DecisionEvent, 'limiter' | 'keys' | 'decision'> {
  /** The cost that the decision has now. */
  readonly cost: Costs
  /** The cost with which it was made. */
  readonly estimate: Costs
}

export const decisionEvents: {
  readonly decision: Channel<DecisionEvent>
  readonly denial: Channel<DecisionEvent>
  readonly adjustment: Channel<AdjustmentEvent>
} = {
  decision: channel('sluice:decision'),
  denial: channel('sluice:denial'),
  adjustment: channel('sluice:adjustment'),
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
  const asked = askedOf(decision)
  if (asked === undefined) return
  const { keys, cost } = asked
  const event: DecisionEvent =
    request === undefined
      ? { limiter, keys, cost, decision, mode }
      : { limiter, keys, cost, decision, mode, request }
  decisionEvents.decision.publish(event)
  if (!decision.allowed) decisionEvents.denial.publish(event)
}

/** Publishes that the cost of a decision was adjusted, if anybody listens. */
export function publishAdjustment(limiter: string, decision: Decision, cost: Costs): void {
  const asked = decisionEvents.adjustment.hasSubscribers ? askedOf(decision) : undefined
  if (asked === undefined) return
  const { keys, cost: estimate } = asked
  decisionEvents.adjustment.publish({ limiter, keys, cost, estimate, decision })
}

/** The keys and the cost of a decision, for its events. */
function askedOf(decision: Decision): Pick<DecisionEvent, 'keys' | 'cost'> | undefined {
  const receipt = receiptOf(decision)
  if (receipt === undefined) return undefined
  const { policies, keys, cost } = receipt.request
  const costs = typeof cost === 'number' ? cost : byName(policies, cost)
  return { keys: byName(policies, keys), cost: costs }
}
