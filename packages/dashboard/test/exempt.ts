import { channel } from 'node:diagnostics_channel'
import { createLimiter } from '@sluice/core'

/** Publishes the decision about a key that is exempt, as a version of core with exemptions does. */
export function publishExempt(limiter: string, key: string): void {
  const decision = createLimiter({ name: 'plain', limit: 1, window: '1m' }).peek(key)
  const event = {
    limiter,
    keys: { default: key },
    cost: 1,
    decision: { ...decision, exempt: true },
  }
  channel('sluice:decision').publish(event)
}
