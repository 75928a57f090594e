import {
  describeAdapterOver,
  describeInMemory,
  describeOnRedis,
  express,
  fastify,
  koa,
  nestjs,
} from '@sluice/conformance/adapters'
import { afterAll, describe, expect } from 'vitest'
import { byRules, type Translated } from './by-rules.js'
import { describeRuleParts } from './rule-parts.js'

// The whole contract of adapters by rules, and on the other frameworks the part that rules decide.

const translated: Translated = { byRules: 0, others: 0 }

afterAll(() => {
  // Otherwise all options could be passed on unchanged, and the test would prove nothing.
  expect(translated.byRules).toBeGreaterThan(translated.others)
})

const others = [koa[1], fastify[0], nestjs[0]].map((adapter) => byRules(adapter, translated))
describe.each(others)('$name', (adapter) => describeRuleParts(adapter))

describe.each([byRules(express[1], translated)])('$name', (adapter) => {
  describeInMemory(adapter)
  describeOnRedis(adapter, describeAdapterOver)
})
