import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { SluiceError } from '@sluice/core'
import { checkedPolicy, type PolicyKind } from '@sluice/core/internal'
import { publishedPolicy } from '../../src/document/policy-schema.js'
import { jsonSchema } from '../../src/document/schema.js'

test('the published schema is the one of this source', () => {
  const published: unknown = JSON.parse(
    readFileSync(new URL('../../schema.json', import.meta.url), 'utf8'),
  )
  expect(published, 'run "node .ci/rules-schema.mjs"').toEqual(
    JSON.parse(JSON.stringify(jsonSchema())),
  )
})

/** A policy of each kind with every option. */
const options: Readonly<Record<PolicyKind, Readonly<Record<string, unknown>>>> = {
  fixedWindow: {
    limit: 1,
    window: '1m',
    align: 'clock',
    offset: '1s',
    block: { for: '1m', on: 'exceeded', escalate: 2, max: '1h' },
  },
  calendarWindow: { limit: 1, period: 'week', timeZone: 'UTC', weekStartsOn: 'sunday' },
  slidingWindow: { limit: 1, window: '1m', buckets: 6, tail: 'weighted' },
  slidingLog: { limit: 1, window: 60_000 },
  gcra: { limit: 1, window: '1m', burst: 2 },
  tokenBucket: { capacity: 5, refill: 1, every: '1s', initial: 2 },
  leakyBucket: { capacity: 5, leak: 1, every: '1s' },
  leakyQueue: { leak: 1, every: '1s', maxDelay: '5s' },
  concurrency: { limit: 1, lease: '30s' },
  staged: { free: { kind: 'gcra', limit: 1, window: '1m' }, then: { kind: 'unlimited' } },
  unlimited: {},
}

const policies: readonly { readonly kind: string; readonly [option: string]: unknown }[] =
  Object.entries(options).map(([kind, ones]) => Object.assign({ kind }, ones))

describe('the schema of policies', () => {
  test.each(policies)('accepts every option that the builder of $kind accepts', (policy) => {
    expect(publishedPolicy.safeParse(policy).success).toBe(true)
    expect(checkedPolicy(policy, 'test').kind).toBe(policy.kind)
  })

  test.each(policies)(
    'and the builder of $kind refuse an unknown option and each missing one',
    (policy) => {
      const strange = { ...policy, colour: 'red' }
      expect(publishedPolicy.safeParse(strange).success).toBe(false)
      expect(() => checkedPolicy(strange, 'test')).toThrow(SluiceError)
      for (const option of Object.keys(policy)) {
        // The zone of the document is the default for an absent one.
        if (option === 'kind' || option === 'timeZone') continue
        const { [option]: _left, ...rest } = policy
        const built = () => checkedPolicy(rest, 'test')
        if (publishedPolicy.safeParse(rest).success) expect(built().kind).toBe(policy.kind)
        else expect(built).toThrow(SluiceError)
      }
    },
  )
})
