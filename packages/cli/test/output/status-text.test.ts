import { expect, test } from 'vitest'
import { statesAsText } from '../../src/output/status-text.js'
import type { Style } from '../../src/output/style.js'

const plain = (text: string): string => text
const style: Style = { error: plain, warning: plain, success: plain, strong: plain, faint: plain }

const policy = {
  name: 'quota',
  used: 7,
  limit: 9,
  remaining: 2,
  resetMs: 0,
  blockedMs: 0,
  exemptMs: 0,
}

test.each([
  ['api  quota  allowed  7 used, 2 of 9 remain', {}],
  ['api  quota  7 used, the limit depends on the request', { isUncertain: true }],
  [
    'api  quota  blocked  for 1m, 7 used, the limit depends on the request',
    { isUncertain: true, blockedMs: 60_000 },
  ],
])('%s', (line, changes) => {
  const states = [
    { limiter: 'api', key: 'ann', isCounted: true, policies: [{ ...policy, ...changes }] },
  ]
  expect(statesAsText(states, style)).toBe(`${line}\n`)
})
