import type { LimitResult, RequestDecision } from '@sluice/core/http'
import { describe, expectTypeOf, test } from 'vitest'
import type { Outcome, RuleDecision } from '../../src/index.js'

describe('the decision on an HTTP request, with this package', () => {
  test('may have the fields of a decision by rules', () => {
    expectTypeOf<RequestDecision>().toHaveProperty('rule').toEqualTypeOf<string | undefined>()
    expectTypeOf<RequestDecision['outcome']>().toEqualTypeOf<Outcome | undefined>()
    expectTypeOf<RequestDecision['tags']>().toEqualTypeOf<readonly string[] | undefined>()
    expectTypeOf<LimitResult['decision']>().toEqualTypeOf<RequestDecision>()
    expectTypeOf<LimitResult['decision']['rule']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<RuleDecision>().toExtend<RequestDecision>()
  })
})
