import { randomUUID } from 'node:crypto'
import { memoryStore, redisStore, type Store } from '@sluice/core'
import { describe } from 'vitest'
import { useRedis } from '@sluice/test-kit/redis'
import type { Adapter } from './adapter.js'
import { serversOf } from './test-server.js'
import { describeRows } from './describe-table.js'
import { describeAddresses } from './contract/keys/addresses.js'
import { describeAnswers } from './contract/answers/answers.js'
import { describeConcurrency } from './contract/counting/concurrency.js'
import { describeDecisions } from './contract/answers/decisions.js'
import { describeDenials } from './contract/answers/denials.js'
import { describeEarly } from './contract/answers/early.js'
import { describeHeaders } from './contract/answers/headers.js'
import { describeKeys } from './contract/keys/keys.js'
import { describeLimiter } from './contract/limiter.js'
import { describeLists } from './contract/keys/lists.js'
import { describeMistakes } from './contract/answers/mistakes.js'
import { describeOutcomes } from './contract/counting/outcomes.js'
import { describePipelining } from './contract/connections/pipelining.js'
import { describePlans } from './contract/keys/plans.js'
import { describeQueues } from './contract/counting/queues.js'
import { describeWrongRequests } from './contract/keys/wrong-requests.js'
import { describeResets } from './contract/connections/resets.js'
import { describeRules } from './contract/rules/index.js'
import { describeSecondLimiter } from './contract/answers/second-limiter.js'
import { describeUnblocking } from './contract/keys/unblocking.js'
import { describeTargets, describeUrls } from './contract/keys/urls.js'
import { describeWaiting } from './contract/counting/waiting.js'

/** Parts of the contract of an adapter over a store. */
type DescribeOver = (adapter: Adapter, makeStore: () => Store) => void

/**
 * The contract of an adapter, over real HTTP: all of it on a memory store, and on a real Redis parts that differ if the store answers later.
 *
 * @param describeOver the parts on Redis
 *
 * @example
 * describeAdapter({ name: 'Express 5', protocol: 'HTTP/1.1', serve })
 */
export function describeAdapter(
  adapter: Adapter,
  describeOver: DescribeOver = describeMainPartsOver,
): void {
  describe(adapter.name, () => {
    describeInMemory(adapter)
    describeOnRedis(adapter, describeOver)
  })
}

/** The whole contract on a memory store. */
export function describeInMemory(adapter: Adapter): void {
  describePlatformParts(adapter)
  describeOtherParts(adapter)
}

/** The parts that depend most on the platform of an adapter: responses, and the work at their end; on a memory store. */
export function describePlatformParts(adapter: Adapter): void {
  const open = serversOf(adapter, () => memoryStore())
  describeRows(adapter)
  describeAnswers(open)
  describeHeaders(open)
  if (adapter.writesResponse) describeEarly(open)
  describeOutcomes(adapter, open)
  describeConcurrency(adapter, open)
  if (adapter.protocol === 'HTTP/1.1') describePipelining(adapter, open)
  else describeResets(open)
}

/** All other parts, on a memory store. */
export function describeOtherParts(adapter: Adapter): void {
  const open = serversOf(adapter, () => memoryStore())
  describeKeys(adapter, open)
  describeAddresses(open)
  describeUrls(open)
  if (adapter.protocol === 'HTTP/1.1') describeTargets(open)
  describeUnblocking(open)
  describeLists(open)
  describePlans(open)
  describeWaiting(open)
  describeQueues(open)
  describeDenials(open)
  describeDecisions(open)
  describeSecondLimiter(open)
  describeMistakes(adapter, open)
  describeLimiter(open)
  describeRules(open)
  describeWrongRequests(open)
}

export function describeOnRedis(adapter: Adapter, describeOver: DescribeOver): void {
  describe('on a real Redis', () => {
    const redis = useRedis()
    describeOver(adapter, () =>
      redisStore(redis.connection, { timeout: '10s', prefix: randomUUID() }),
    )
  })
}

/**
 * All parts of the contract that differ if the store answers later.
 *
 * @param makeStore makes a store without counts
 */
export function describeAdapterOver(adapter: Adapter, makeStore: () => Store): void {
  describeMainPartsOver(adapter, makeStore)
  describeFurtherPartsOver(adapter, makeStore)
}

/** Those parts in which code of the adapter waits for the store, or runs after the response. */
export function describeMainPartsOver(adapter: Adapter, makeStore: () => Store): void {
  const open = serversOf(adapter, makeStore)
  describeAnswers(open)
  describeOutcomes(adapter, open)
  describeConcurrency(adapter, open)
}

/** The others of them. */
export function describeFurtherPartsOver(adapter: Adapter, makeStore: () => Store): void {
  const open = serversOf(adapter, makeStore)
  describeWaiting(open)
  describeQueues(open)
  describeDenials(open)
  describeMistakes(adapter, open)
  describeLimiter(open)
  describeRules(open)
}
