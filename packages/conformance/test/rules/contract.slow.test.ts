import { memoryStore } from '@sluice/core'
import {
  describeMainPartsOver,
  describeOnRedis,
  express,
  fastify,
  koa,
  nestjs,
} from '@sluice/conformance/adapters'
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

// The part of the contract of adapters that rules decide, on the other frameworks.

const translated: Translated = { byRules: 0, others: 0 }

afterAll(() => {
  // Otherwise all options could be passed on unchanged, and the test would prove nothing.
  expect(translated.byRules).toBeGreaterThan(9 * translated.others)
})

describe.each([koa[1], fastify[0], nestjs[0]].map((adapter) => byRules(adapter, translated)))(
  '$name',
  (adapter: Adapter) => {
    const open = serversOf(adapter, () => memoryStore())
    describeAnswers(open)
    describeHeaders(open)
    describeAddresses(open)
    describeOutcomes(adapter, open)
    describeWaiting(open)
    describeQueues(open)
    describeDenials(open)
    describeConcurrency(adapter, open)
  },
)

describe.each([byRules(express[1], translated)])('$name', (adapter: Adapter) => {
  describeOnRedis(adapter, describeMainPartsOver)
})
