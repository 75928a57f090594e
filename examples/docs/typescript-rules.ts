// Rules in TypeScript.
import assert from 'node:assert/strict'
// #region rules
import { defineRules, loadRules, staticSource, type ValuesOf } from '@sluice/rules'
import type { Request } from 'express'

const document = defineRules({
  version: 1,
  name: 'shop',
  values: { user: 'string?', plan: ['free', 'pro'] },
  rules: [
    {
      id: 'api',
      when: { path: '/api/**' },
      key: { first: ['user', 'ip'] },
      limit: { by: 'plan', free: 60, pro: 600 },
      window: '1m',
    },
  ],
})

type Values = ValuesOf<typeof document> // { plan: 'free' | 'pro', user?: string | null }

const rules = await loadRules<Request>({
  source: staticSource(document),
  values: {
    user: (req): Values['user'] => req.get('X-User'),
    plan: (req): Values['plan'] => (req.get('X-Plan') === 'pro' ? 'pro' : 'free'),
  },
})
// #endregion

assert.equal(rules.name, 'shop')
rules.close()
