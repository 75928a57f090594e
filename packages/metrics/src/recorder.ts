import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type {
  BreakerEvent,
  DecisionEvent,
  FallbackEvent,
  StoreCallEvent,
  StoreErrorEvent,
} from '@sluice/core'
import { Family, type Labels } from './family.js'
import { callBuckets, metricIds, metricTable, type MetricId } from './metric-table.js'

/** The events of each channel. Another version of core may publish a decision without a mode. */
export interface Events {
  readonly 'sluice:decision': Omit<DecisionEvent, 'mode'> & Partial<Pick<DecisionEvent, 'mode'>>
  readonly 'sluice:store:call': StoreCallEvent
  readonly 'sluice:store:error': StoreErrorEvent
  readonly 'sluice:breaker': BreakerEvent
  readonly 'sluice:fallback': FallbackEvent
  readonly 'sluice:rules': {
    readonly state: (typeof loads)[number]
    readonly name: string | undefined
  }
}

/** The outcomes of loading a document of rules. */
const loads = ['loaded', 'rejected', 'source-failed'] as const

/** The errors that any store can have. */
const usualCodes = ['SLUICE_STORE_FAILED', 'SLUICE_STORE_TIMEOUT']

/** The gauges of things that begin and end. */
const gauges = ['fallbackActive', 'breakerOpen', 'rulesRejected'] as const

/** Counts the events of all limiters of the process. */
export interface Recorder {
  /** The numbers of each metric. */
  readonly families: Readonly<Record<MetricId, Family>>
  /** Counts from now on. The counters continue, if it was stopped before. */
  start(): void
  /** Ends that. The gauges are zero, because their changes are no longer seen. */
  stop(): void
}

/**
 * The one subscriber of this package, for every way to export the counts.
 *
 * @param noteDuration receives each value of the histogram
 */
export function createRecorder(
  noteDuration: (labels: Labels, seconds: number) => void = () => {},
): Recorder {
  const all = metricIds.map((id) => [id, new Family(metricTable[id])])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one for each id
  const families = Object.fromEntries(all) as Recorder['families']

  /** Returns whether the metric has these labels for the first time. A gauge that began before the first event is not known: it stays at zero when it ends. */
  function record(metric: MetricId, labels: readonly string[], n: number): boolean {
    const { length } = families[metric].series
    const series = families[metric].at(labels)
    series.value = Math.max(0, series.value + n)
    return families[metric].series.length > length
  }

  // Numbers begin at zero, so that the first denial is an increase, and a share of none is zero.
  function beginLimiter(limiter: string): void {
    record('fallbackActive', [limiter], 0)
    for (const outcome of ['allowed', 'denied']) record('decisions', [limiter, outcome, 'store'], 0)
  }

  function beginStore(store: string): void {
    for (const id of ['breakerOpen', 'storeRequests', 'storeCallDuration'] as const) {
      record(id, [store], 0)
    }
    for (const code of usualCodes) record('storeErrors', [store, code], 0)
  }

  const handlers: { readonly [C in keyof Events]: (event: Events[C]) => void } = {
    'sluice:decision'({ limiter, mode = 'enforced', decision }) {
      const { allowed, exempt, source, deniedBy } = decision
      const isEnforced = mode === 'enforced'
      const enforced = allowed ? (exempt === true ? 'exempt' : 'allowed') : 'denied'
      const outcome = isEnforced ? enforced : allowed ? 'would_allow' : 'would_deny'
      if (record('decisions', [limiter, outcome, source], 1)) beginLimiter(limiter)
      if (allowed) return
      const denials = isEnforced ? 'denials' : 'wouldDeny'
      for (const policy of deniedBy) record(denials, [limiter, policy], 1)
    },
    'sluice:store:call'({ store, requests, durationMs }) {
      beginStore(store)
      record('storeRequests', [store], requests)
      const seconds = durationMs / 1000
      const bucket = callBuckets.findIndex((bound) => seconds <= bound)
      const series = families.storeCallDuration.at([store])
      series.value += seconds
      series.buckets[bucket === -1 ? callBuckets.length : bucket]++
      noteDuration(series.labels, seconds)
    },
    'sluice:store:error'({ store, error }) {
      const { code } = error
      beginStore(store)
      record('storeErrors', [store, code], 1)
    },
    'sluice:breaker'({ store, state }) {
      beginStore(store)
      record('breakerOpen', [store], state === 'open' ? 1 : -1)
    },
    'sluice:fallback'({ limiter, state }) {
      beginLimiter(limiter)
      record('fallbackActive', [limiter], state === 'begun' ? 1 : -1)
    },
    'sluice:rules'({ state, name }) {
      // Before their first document, rules have no name.
      const limiter = name ?? 'unknown'
      for (const outcome of loads) record('rulesLoads', [limiter, outcome], 0)
      record('rulesLoads', [limiter, state], 1)
      const rejected = families.rulesRejected.at([limiter])
      // A source that fails says nothing about the latest document. A document without a name has none before it, and the valid one after it has a name.
      if (state !== 'source-failed' && name !== undefined) {
        rejected.value = state === 'rejected' ? 1 : 0
      }
      // Without a first load there is no time: zero would be a document of 1970.
      if (state === 'loaded') families.rulesLoadedTime.at([limiter]).value = Date.now() / 1000
    },
  }
  const listeners = Object.entries(handlers).map(([channel, handle]) => ({
    channel,
    listen: listenerOf(handle),
  }))
  let isRunning = false
  return {
    families,
    start() {
      if (isRunning) return
      isRunning = true
      for (const { channel, listen } of listeners) subscribe(channel, listen)
    },
    stop() {
      if (!isRunning) return
      isRunning = false
      for (const { channel, listen } of listeners) unsubscribe(channel, listen)
      for (const id of gauges) families[id].series.forEach((series) => (series.value = 0))
    },
  }
}

/** An error in a subscriber ends the process. An event that cannot be counted, because another program has published it, is ignored. */
function listenerOf(handle: (event: never) => void): (event: unknown) => void {
  return function listen(event) {
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the channels of Sluice have no other events
      handle(event as never)
    } catch {
      // Nothing to count.
    }
  }
}
