// Checks documents without using them. Servers do not load this part.
export { compareRules } from './compare.js'
export type { Change, Comparison, DeclarationChange } from './compare.js'
export { checkRules } from './check-rules.js'
export type { CheckOptions, RulesCheck } from './check-rules.js'
export { factsOf, runTests } from './run-tests.js'
export type { TestResult } from './run-tests.js'
export { valueFromText } from './value-from-text.js'
