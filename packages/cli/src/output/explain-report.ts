import type { Explanation, RuleContext } from '@sluice/rules'
import type { Standing } from '../reading/counts.js'

/** The result of `sluice explain`. */
export interface ExplainReport {
  readonly file: string
  readonly name: string
  readonly context: RuleContext
  readonly at: number
  readonly explanation: Explanation
  /** Absent without Redis. */
  readonly standing: Standing | undefined
}
