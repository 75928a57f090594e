import { express } from '@sluice/conformance/adapters'
import { afterAll, describe, expect } from 'vitest'
import { byRules, type Translated } from './by-rules.js'
import { describeRuleParts } from './rule-parts.js'

// A document of one rule decides as the options of `rateLimit` do: the contract of adapters holds for both.

const translated: Translated = { byRules: 0, others: 0 }

afterAll(() => {
  // Otherwise all options could be passed on unchanged, and the test would prove nothing.
  expect(translated.byRules).toBeGreaterThan(9 * translated.others)
})

const adapter = byRules(express[1], translated)
describe(adapter.name, () => describeRuleParts(adapter))
