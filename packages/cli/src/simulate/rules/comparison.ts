import type { LogRecord } from '../log/record.js'
import { topKeys } from '../report/build.js'
import type { ComparedReport } from '../report/report.js'
import { Tally } from '../tally/tally.js'
import type { Denial, RulesReplay } from './replay-rules.js'

/** Compares the decisions of two rules documents about each request. */
export class Comparison {
  readonly #baseline: RulesReplay
  readonly #variant: RulesReplay
  readonly #denied = new Tally()
  readonly #allowed = new Tally()

  constructor(baseline: RulesReplay, variant: RulesReplay) {
    this.#baseline = baseline
    this.#variant = variant
  }

  push(record: LogRecord): void {
    const before = this.#baseline.push(record)
    const after = this.#variant.push(record)
    if (before === undefined && after !== undefined) count(this.#denied, record, after)
    if (before !== undefined && after === undefined) count(this.#allowed, record, before)
  }

  report(
    names: { readonly baseline: string; readonly variant: string },
    top: number,
  ): ComparedReport {
    return {
      ...names,
      asked: this.#variant.tally.asked,
      requestsNewlyDenied: this.#denied.denied,
      requestsNewlyAllowed: this.#allowed.denied,
      keysNewlyDenied: this.#denied.keysDenied,
      keysNewlyAllowed: this.#allowed.keysDenied,
      newlyDenied: topKeys(this.#denied, this.#variant.keys, top),
      newlyAllowed: topKeys(this.#allowed, this.#baseline.keys, top),
    }
  }
}

function count(tally: Tally, record: LogRecord, { key, number, ordinal }: Denial): void {
  tally.ask(record.at)
  tally.deny(record, key, number, ordinal)
}
