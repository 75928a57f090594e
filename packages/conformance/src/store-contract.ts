import { describe } from 'vitest'
import { describeAllOrNothing } from './contract/all-or-nothing.js'
import { describeBatches } from './contract/batches.js'
import { setupOf, type StoreFactory } from './contract/setup.js'
import { describeChangedPolicies } from './contract/changed-policies.js'
import { describeChosenPolicies } from './contract/chosen-policies.js'
import { describeCosts } from './contract/costs.js'
import { describeDefinitions } from './contract/definitions.js'
import { describeKeys } from './contract/keys.js'
import { describeReads } from './contract/reads.js'
import { describeStepsBack } from './contract/steps-back.js'
import { describeTime } from './contract/time.js'
import { describeBlocks } from './contract/blocks.js'
import { describeCalendars } from './contract/calendars.js'
import { describeMany } from './contract/many.js'
import { describePenalties } from './contract/penalties.js'
import { describeQueues } from './contract/queues.js'
import { describeRefunds } from './contract/refunds.js'
import { describeResets } from './contract/resets.js'
import { describeSlidingWindows } from './contract/sliding-windows.js'
import { describeStages } from './contract/stages.js'
import { describeStatus } from './contract/status.js'

/**
 * The contract of a store. The factory is called before each test. It may return the same store again, because each test has its own
 * limiters.
 *
 * @example
 * describeStore('memoryStore', () => memoryStore())
 */
export function describeStore(name: string, makeStore: StoreFactory): void {
  const open = setupOf(makeStore)
  describe(name, () => {
    describeDefinitions(open)
    describeCosts(open)
    describeAllOrNothing(open)
    describeReads(open)
    describeKeys(open)
    describeChangedPolicies(open)
    describeChosenPolicies(open)
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
  })
}
