import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Collector } from './collector.js'
import { StoreRecords } from './store-records.js'

/** The data of a process, for all of its dashboards with the same settings. */
export interface Collected {
  readonly collector: Collector
  readonly stores: StoreRecords
  /** Ends the subscription with the last dashboard that uses it. */
  release(): void
}

interface Subscription extends Omit<Collected, 'release'> {
  readonly clock: () => number
  readonly sample: number
  users: number
  end(): void
}

const subscriptions = new Set<Subscription>()

/** Begins to collect, unless another dashboard of the process does so already. */
export function collect(clock: () => number, sample: number): Collected {
  let subscription = [...subscriptions].find((one) => one.clock === clock && one.sample === sample)
  if (subscription === undefined) {
    subscription = begin(clock, sample)
    subscriptions.add(subscription)
  }
  const shared = subscription
  shared.users++
  let isReleased = false
  return {
    collector: shared.collector,
    stores: shared.stores,
    release() {
      if (isReleased) return
      isReleased = true
      if (--shared.users > 0) return
      subscriptions.delete(shared)
      shared.end()
    },
  }
}

function begin(clock: () => number, sample: number): Subscription {
  const collector = new Collector(clock, sample)
  const stores = new StoreRecords(collector)
  const ends = [
    listen('sluice:decision', collector.note),
    listen('sluice:store:error', stores.noteError),
    listen('sluice:breaker', stores.noteBreaker),
    listen('sluice:fallback', stores.noteFallback),
  ]
  const end = (): void => ends.forEach((stop) => stop())
  return { collector, stores, clock, sample, users: 0, end }
}

/** Core alone publishes on its channels, so each message has the type of its channel. */
function listen(channel: string, note: (event: never) => void): () => void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type of the channel
  const listener = note as (message: unknown) => void
  subscribe(channel, listener)
  return () => void unsubscribe(channel, listener)
}
