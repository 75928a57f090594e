import type { RulesCounted } from './events.js'
import type { Family, Series } from './series.js'

/** The metrics that documents of rules have. */
export interface RulesFamilies {
  readonly rulesLoads: Family
  readonly rulesLoadedTime: Family
  readonly rulesRejected: Family
}

export type DocumentCounted = Exclude<RulesCounted, { readonly state: 'override-late' }>

/** The numbers of the rules of one name, which is that of their limiter. */
export class RulesCounts {
  readonly #limiter: string
  readonly #families: RulesFamilies
  readonly #loads: Readonly<Record<DocumentCounted['state'], Series>>
  readonly #rejected: Series
  #loadedTime: Series | undefined

  constructor(limiter: string, families: RulesFamilies) {
    this.#limiter = limiter
    this.#families = families
    const loads = (outcome: DocumentCounted['state']): Series =>
      families.rulesLoads.add({ limiter, outcome })
    this.#loads = {
      loaded: loads('loaded'),
      rejected: loads('rejected'),
      'source-failed': loads('source-failed'),
    }
    this.#rejected = families.rulesRejected.add({ limiter })
  }

  load({ state, name }: DocumentCounted): void {
    this.#loads[state].value++
    // A source that fails says nothing about the latest document. A document without a name has none before it, and the valid one after it has a name.
    if (state !== 'source-failed' && name !== undefined)
      this.#rejected.value = state === 'rejected' ? 1 : 0
    if (state === 'loaded') this.#noteTime()
  }

  /** Without a first load there is no time: zero would be a document of 1970. */
  #noteTime(): void {
    this.#loadedTime ??= this.#families.rulesLoadedTime.add({ limiter: this.#limiter })
    this.#loadedTime.value = Date.now() / 1000
  }
}
