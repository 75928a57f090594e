import { memoryStore } from '@sluice/core'
import { describeAdapter, express, fastify, koa, nestjs } from '@sluice/conformance/adapters'
import { afterAll, describe, expect } from 'vitest'
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
import { byRules, type Translated } from './by-rules.js'

// A document of one rule decides as the options of `rateLimit` do: the contract of adapters holds for both.

const whole: Translated = { byRules: 0, others: 0 }
const core: Translated = { byRules: 0, others: 0 }

afterAll(() => {
  // Otherwise all options could be passed on unchanged, and the test would prove nothing.
  expect(whole.byRules).toBeGreaterThan(whole.others)
  expect(core.byRules).toBeGreaterThan(9 * core.others)
})

describeAdapter(byRules(express[1], whole))

describe.each([koa[1], fastify[0], nestjs[0]].map((adapter) => byRules(adapter, core)))(
  '$name',
  (adapter: Adapter) => {
    const open = serversOf(adapter, () => memoryStore())
    describeAnswers(open)
    describeHeaders(open)
    describeAddresses(open)
    describeOutcomes(open)
    describeWaiting(open)
    describeQueues(open)
    describeDenials(open)
    describeConcurrency(adapter, open)
  },
)
