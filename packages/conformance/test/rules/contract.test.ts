import { describeAdapter, express } from '@sluice/conformance/adapters'
import { afterAll, expect } from 'vitest'
import { byRules, type Translated } from './by-rules.js'

// A document of one rule decides as the options of `rateLimit` do: the contract of adapters holds for both.

const translated: Translated = { byRules: 0, others: 0 }

afterAll(() => {
  // Otherwise all options could be passed on unchanged, and the test would prove nothing.
  expect(translated.byRules).toBeGreaterThan(translated.others)
})

describeAdapter(byRules(express[1], translated))
