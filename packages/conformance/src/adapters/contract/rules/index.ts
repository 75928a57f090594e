import { describe } from 'vitest'
import type { OpenServer } from '../../test-server.js'
import { describeCountsOfRules } from './counts.js'
import { describeDenialsByRules } from './denials.js'
import { describeJudgement } from './judgement.js'
import { describeRulesThatWait } from './waiting.js'

export function describeRules(open: OpenServer): void {
  describe('rules', () => {
    describeJudgement(open)
    describeDenialsByRules(open)
    describeRulesThatWait(open)
    describeCountsOfRules(open)
  })
}
