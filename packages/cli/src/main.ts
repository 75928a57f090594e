export type { RuleDecision } from '@sluice/rules'
