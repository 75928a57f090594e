import { channel, type Channel } from '../stores/layers/channel.js'
import type { Decision } from './decision.js'

/** Published on `sluice:decision` for each decision of `consume`, and on `sluice:denial` for each denial among them. */
export interface DecisionEvent {
  readonly limiter: string
  /** The key of each policy, by its name, in the form in which the store counts it. */
  readonly keys: Readonly<Record<string, string>>
  readonly cost: number
  readonly decision: Decision
  /** The `request` that the caller passed: with `rateLimit`, the framework's own request. */
  readonly request?: unknown
}

interface DecisionEvents {
  readonly decision: Channel<DecisionEvent>
  readonly denial: Channel<DecisionEvent>
}

export const decisionEvents: DecisionEvents = {
  decision: channel('sluice:decision'),
  denial: channel('sluice:denial'),
}
