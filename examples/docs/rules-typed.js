// A document as an object whose names the compiler checks.
import assert from 'node:assert/strict'
// #region typed
import { defineRules, loadRules, staticSource } from '@sluice/rules'

const document = defineRules({
  version: 1,
  name: 'typed',
  values: { plan: ['free', 'pro'] },
  rules: [{ id: 'api', limit: { by: 'plan', free: 60, pro: 600 }, window: '1m' }],
})
const rules = await loadRules({ source: staticSource(document), values: { plan: () => 'pro' } })
// #endregion
await rules.replace({ ...document, rules: [{ id: 'api', limit: 10, window: '1m' }] })
assert.equal(rules.state().from, 'replace')
assert.ok(await rules.explain({ path: '/api/items', ip: '203.0.113.9', plan: 'pro' }))
