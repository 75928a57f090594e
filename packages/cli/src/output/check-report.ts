import type { CheckedDocument } from '../reading/document.js'

/** The result of `sluice check`. */
export interface CheckReport {
  readonly documents: readonly CheckedDocument[]
  /** The document that the others are compared with. */
  readonly against: string | undefined
  readonly errors: number
  readonly warnings: number
}
