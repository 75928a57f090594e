import type { MetricId } from '../metric-table.js'
import { Bounded, type Room } from './bounded.js'
import { createSubscription } from './events.js'
import { LimiterCounts } from './limiter-counts.js'
import { RulesCounts } from './rules-counts.js'
import { Family, type Series } from './series.js'
import { StoreCounts, type CallTimes } from './store-counts.js'

/** The most names of each kind that have series of their own. */
export const mostNames = { limiters: 200, policies: 1000, stores: 20, rules: 200 } as const

/** The metrics that are numbers. A histogram is kept by the one who exports it. */
export type CountedMetric = Exclude<MetricId, 'storeCallDuration'>

export const countedMetrics: readonly CountedMetric[] = [
  'decisions',
  'denials',
  'wouldDeny',
  'fallbackActive',
  'storeRequests',
  'storeErrors',
  'breakerOpen',
  'rulesLoads',
  'rulesLoadedTime',
  'rulesRejected',
  'lateOverrides',
]

/** Counts the events of all limiters of the process. */
export interface Recorder {
  readonly families: Readonly<Record<CountedMetric, Family>>
  /** Counts from now on. The counters continue, if it was stopped before. */
  start(): void
  /** Ends that. The gauges are zero, because their changes are no longer seen. */
  stop(): void
}

/** The one subscriber of this package, for every way to export the counts. */
export function createRecorder(callTimes: CallTimes): Recorder {
  const families: Recorder['families'] = {
    decisions: new Family(),
    denials: new Family(),
    wouldDeny: new Family(),
    fallbackActive: new Family(),
    storeRequests: new Family(),
    storeErrors: new Family(),
    breakerOpen: new Family(),
    rulesLoads: new Family(),
    rulesLoadedTime: new Family(),
    rulesRejected: new Family(),
    lateOverrides: new Family(),
  }
  const policies: Room = { left: mostNames.policies }
  const limiters = new Bounded(
    { left: mostNames.limiters },
    (name) => new LimiterCounts(name, families, policies),
  )
  const stores = new Bounded(
    { left: mostNames.stores },
    (name) => new StoreCounts(name, families, callTimes),
  )
  const rules = new Bounded({ left: mostNames.limiters }, (name) => new RulesCounts(name, families))
  const lateOverrides = new Bounded<Series>({ left: mostNames.rules }, (rule) =>
    families.lateOverrides.add({ rule }),
  )
  const subscription = createSubscription({
    'sluice:decision': (event) => limiters.get(event.limiter).decide(event),
    'sluice:store:call': (call) => stores.get(call.store).call(call),
    'sluice:store:error': ({ store, error }) => stores.get(store).fail(error.code),
    'sluice:breaker': ({ store, state }) => stores.get(store).changeBreaker(state),
    'sluice:fallback': ({ limiter, state }) => limiters.get(limiter).changeFallback(state),
    'sluice:rules': (event) => {
      if (event.state === 'override-late') lateOverrides.get(event.rule).value++
      // Before their first document, rules have no name.
      else rules.get(event.name ?? 'unknown').load(event)
    },
  })
  let isRunning = false
  return {
    families,
    start() {
      if (isRunning) return
      isRunning = true
      subscription.start()
    },
    stop() {
      if (!isRunning) return
      isRunning = false
      subscription.stop()
      const { fallbackActive, breakerOpen, rulesRejected } = families
      for (const { series } of [fallbackActive, breakerOpen, rulesRejected]) {
        for (const one of series) one.value = 0
      }
    },
  }
}
