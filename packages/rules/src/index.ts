export type { Judgement, Outcome, RuleDecision } from '@sluice/core/http'
