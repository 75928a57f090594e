import { memoryStore, redisStore } from '@sluice/core'
import { describe } from 'vitest'
import { useRedis } from '../redis/index.js'
import type { Adapter } from './adapter.js'
import { serversOf } from './test-server.js'
import { describeRows } from './describe-table.js'
import { describeAddresses } from './contract/addresses.js'
import { describeAnswers } from './contract/answers.js'
import { describeConcurrency } from './contract/concurrency.js'
import { describeDecisions } from './contract/decisions.js'
import { describeDenials } from './contract/denials.js'
import { describeEarly } from './contract/early.js'
import { describeHeaders } from './contract/headers.js'
import { describeKeepAlive } from './contract/keep-alive.js'
import { describeKeys } from './contract/keys.js'
import { describeLimiter } from './contract/limiter.js'
import { describeLists } from './contract/lists.js'
import { describeMistakes } from './contract/mistakes.js'
import { describeOutcomes } from './contract/outcomes.js'
import { describePipelining } from './contract/pipelining.js'
import { describePlans } from './contract/plans.js'
import { describeQueues } from './contract/queues.js'
import { describeWrongRequests } from './contract/wrong-requests.js'
import { describeResets } from './contract/resets.js'
import { describeRules } from './contract/rules/index.js'
import { describeSecondLimiter } from './contract/second-limiter.js'
import { describeTargets, describeUrls } from './contract/urls.js'
import { describeWaiting } from './contract/waiting.js'

/**
 * The contract of an adapter, over real HTTP: all of it on a memory store, and on a real Redis the parts that differ if the store answers
 * later.
 *
 * @example
 * describeAdapter({ name: 'Express 5', protocol: 'HTTP/1.1', serve })
 */
export function describeAdapter(adapter: Adapter): void {
  describe(adapter.name, () => {
    const open = serversOf(adapter, () => memoryStore())
    describeRows(adapter)
    describeAnswers(open)
    describeHeaders(open)
    describeEarly(open)
    describeKeys(open)
    describeAddresses(open)
    describeUrls(open)
    if (adapter.protocol === 'HTTP/1.1') describeTargets(open)
    describeLists(open)
    describePlans(open)
    describeOutcomes(open)
    describeWaiting(open)
    describeQueues(open)
    describeDenials(open)
    describeConcurrency(adapter, open)
    describeDecisions(open)
    describeSecondLimiter(open)
    describeMistakes(open)
    describeLimiter(open)
    describeRules(open)
    describeWrongRequests(open)
    if (adapter.protocol === 'HTTP/1.1') describePipelining(open)
    else describeResets(open)
    describeKeepAlive(adapter)

    describe('on a real Redis', () => {
      const redis = useRedis()
      const open = serversOf(adapter, () => redisStore(redis.connection, { timeout: '10s' }))
      describeAnswers(open)
      describeOutcomes(open)
      describeWaiting(open)
      describeQueues(open)
      describeDenials(open)
      describeConcurrency(adapter, open)
      describeMistakes(open)
      describeLimiter(open)
      describeRules(open)
    })
  })
}
