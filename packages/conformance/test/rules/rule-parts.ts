import { memoryStore } from '@sluice/core'
import type { Adapter } from '../../src/adapters/adapter.js'
import { describeAddresses } from '../../src/adapters/contract/keys/addresses.js'
import { describeAnswers } from '../../src/adapters/contract/answers/answers.js'
import { describeConcurrency } from '../../src/adapters/contract/counting/concurrency.js'
import { describeDenials } from '../../src/adapters/contract/answers/denials.js'
import { describeHeaders } from '../../src/adapters/contract/answers/headers.js'
import { describeOutcomes } from '../../src/adapters/contract/counting/outcomes.js'
import { describeQueues } from '../../src/adapters/contract/counting/queues.js'
import { describeWaiting } from '../../src/adapters/contract/counting/waiting.js'
import { serversOf } from '../../src/adapters/test-server.js'

/** The parts of the contract of adapters that rules decide. */
export function describeRuleParts(adapter: Adapter): void {
  const open = serversOf(adapter, () => memoryStore())
  describeAnswers(open)
  describeHeaders(open)
  describeAddresses(open)
  describeOutcomes(adapter, open)
  describeWaiting(open)
  describeQueues(open)
  describeDenials(open)
  describeConcurrency(adapter, open)
}
