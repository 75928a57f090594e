import { describe } from 'vitest'
import { describeAllOrNothing } from './policies/all-or-nothing.js'
import { describeBatches } from './methods/batches.js'
import { setupOf, type StoreFactory } from './setup.js'
import { describeChangedPolicies } from './policies/changed-policies.js'
import { describeChosenPolicies } from './policies/chosen-policies.js'
import { describeCosts } from './methods/costs.js'
import { describeDefinitions } from './algorithms/definitions.js'
import { describeForms, describePairsOfForms } from './policies/forms.js'
import { describeExemptPolicies } from './policies/exempt-policies.js'
import { describeKeys } from './policies/keys.js'
import { describeReads } from './methods/reads.js'
import { describeStepsBack } from './algorithms/steps-back.js'
import { describeTime } from './algorithms/time.js'
import { describeBlocks } from './algorithms/blocks.js'
import { describeAdjustments } from './algorithms/adjustments.js'
import { describeExemptions } from './algorithms/exemptions.js'
import { describeGrants } from './algorithms/grants.js'
import { describeCalendars } from './algorithms/calendars.js'
import { describeMany } from './methods/many.js'
import { describePenalties } from './methods/penalties.js'
import { describeQueues } from './algorithms/queues.js'
import { describeRefunds } from './methods/refunds.js'
import { describeResets } from './methods/resets.js'
import { describeSlidingWindows } from './algorithms/sliding-windows.js'
import { describeStages } from './algorithms/stages.js'
import { describeStatus } from './methods/status.js'

/**
 * The contract of a store. The factory is called before each test. It may return the same store again, because each test has its own
 * limiters.
 *
 * @param share the share of its runs that each property has. Less than 1 for a store whose calls take long: it also has fewer pairs of forms of
 * state
 *
 * @example
 * describeStore('memoryStore', () => memoryStore())
 */
export function describeStore(name: string, makeStore: StoreFactory, share = 1): void {
  const open = setupOf(makeStore, share)
  describe(name, () => {
    describeDefinitions(open)
    describeCosts(open)
    describeAllOrNothing(open)
    describeReads(open)
    describeKeys(open)
    describeChangedPolicies(open)
    describeChosenPolicies(open)
    describePairsOfForms(open, share === 1 ? 'all' : 'some')
    describeForms(open)
    describeTime(open)
    describeStepsBack(open)
    describeBatches(open)
    describeStatus(open)
    describeStages(open)
    describeRefunds(open)
    describeResets(open)
    describeSlidingWindows(open)
    describeQueues(open)
    describePenalties(open)
    describeMany(open)
    describeCalendars(open)
    describeBlocks(open)
    describeAdjustments(open)
    describeExemptions(open)
    describeGrants(open)
    describeExemptPolicies(open)
  })
}
