// The names that the other packages of Sluice use, besides the public ones. Not for applications.
export { applyLimits, decideByRules } from './decide/apply.js'
export type { ApplyOptions, DecideOptions } from './decide/apply.js'
export type { AppliedRule, Ask, LimitCheck, RuleMatch, Pass, Refuse } from './decide/match.js'
export { requestRules } from './decide/request-rules.js'
export { nothingAsked, ruleDecision } from './decide/rule-decision.js'
export type { CheckResult, CheckResults } from './decide/rule-decision.js'
export { resetsOf, uncountedBy } from './decide/settlement.js'
export { takesLater } from './decide/match.js'
