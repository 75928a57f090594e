export { describeDatabase } from './describe-database.js'
export type { DatabaseFactory, TestFunctions } from './suite.js'
