import { expect, test } from 'vitest'
import { compiledRules } from '../../compiled.js'

test('all methods that no server knows have one count, so that a client cannot invent a new one', async () => {
  const rules = await compiledRules('  - { id: r, key: method, limit: 1, window: 1m }')
  for (const [method, counted] of [
    ['GET', 'GET'],
    ['HEAD', 'GET'],
    ['purge', 'PURGE'],
    ['A1', 'other'],
    ['A2', 'other'],
  ]) {
    const match = { enforced: [{ keys: ['method', counted] }] }
    expect(rules.judge({ method, url: '/' }, 0)).toMatchObject(match)
  }
})
