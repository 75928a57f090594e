import { Bounded, type Room } from './bounded.js'
import type { DecisionCounted, FallbackCounted } from './events.js'
import type { Family, Labels, Series } from './series.js'

/** The metrics that limiters have. */
export interface LimiterFamilies {
  readonly decisions: Family
  readonly denials: Family
  readonly wouldDeny: Family
  readonly fallbackActive: Family
}

/** The sources are few, but any program can publish events. */
const mostSources = 5

/** The numbers of one policy, which share its place among the bounded names. */
interface PolicyCounts {
  readonly labels: Labels
  denials?: Series
  wouldDeny?: Series
}

/** The numbers of one limiter. They are found once, so that a decision only adds to them. */
export class LimiterCounts {
  readonly #allowed: Bounded<Series>
  readonly #denied: Bounded<Series>
  readonly #exempt: Bounded<Series>
  readonly #wouldAllow: Bounded<Series>
  readonly #unenforced: Bounded<Series>
  readonly #families: LimiterFamilies
  readonly #policies: Bounded<PolicyCounts>
  readonly #fallback: Series

  constructor(limiter: string, families: LimiterFamilies, policies: Room) {
    const bySource = (outcome: string): Bounded<Series> =>
      new Bounded({ left: mostSources }, (source) =>
        families.decisions.add({ limiter, outcome, source }),
      )
    this.#allowed = bySource('allowed')
    this.#denied = bySource('denied')
    this.#exempt = bySource('exempt')
    this.#wouldAllow = bySource('would_allow')
    this.#unenforced = bySource('would_deny')
    this.#families = families
    this.#policies = new Bounded(policies, (policy) => ({ labels: { limiter, policy } }))
    this.#fallback = families.fallbackActive.add({ limiter })
    // From zero, so that the first denial is an increase, and a share of none is zero.
    this.#allowed.get('store')
    this.#denied.get('store')
  }

  decide({ mode = 'enforced', decision }: DecisionCounted): void {
    const { allowed, exempt, source, deniedBy } = decision
    const isEnforced = mode === 'enforced'
    if (allowed) {
      const enforced = exempt === true ? this.#exempt : this.#allowed
      const bySource = isEnforced ? enforced : this.#wouldAllow
      bySource.get(source).value++
      return
    }
    const bySource = isEnforced ? this.#denied : this.#unenforced
    bySource.get(source).value++
    const kind = isEnforced ? 'denials' : 'wouldDeny'
    for (const policy of deniedBy) {
      const counts = this.#policies.get(policy)
      counts[kind] ??= this.#families[kind].add(counts.labels)
      counts[kind].value++
    }
  }

  changeFallback(state: FallbackCounted['state']): void {
    changeGauge(this.#fallback, state === 'begun')
  }
}

/** A gauge of things that begin and end. One that began before the first event is not known. */
export function changeGauge(series: Series, begins: boolean): void {
  series.value = Math.max(0, series.value + (begins ? 1 : -1))
}
