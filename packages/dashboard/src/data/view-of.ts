import type { Policies } from '@sluice/core'
import type { Awaitable } from '@sluice/core/http'
import { mergedStores } from '../collect/store-records.js'
import type { Processes } from '../processes.js'
import type { Role, StoreView, View } from '../view.js'
import { mergedLimiters } from './merge.js'
import { limiterViews } from './present.js'
import type { SharedData } from './process-data.js'
import { rulesView, type DashboardRules } from './rules-data.js'
import { messagesFor, type KeyFor, type MessageOf } from './shown.js'

/** Returns the policies of a key, as the application chooses them for its requests. */
export type PoliciesOf = (key: string, limiter: string) => Awaitable<Policies | undefined>

/** The settings of a dashboard that its answers depend on. */
export interface Shown {
  /** The limiters that can be acted upon. */
  readonly acting: readonly string[]
  readonly rules: DashboardRules | undefined
  readonly keyFor: KeyFor
  readonly policiesOf: PoliciesOf | undefined
}

/**
 * The answer of `api/view`: the data of all processes.
 *
 * @param rows the most rows of each list of keys
 * @param wrongPrefix that of `share`, if it is not that of the store
 */
export async function viewOf(
  processes: Processes,
  { acting, rules, keyFor }: Shown,
  role: Role,
  rows: number,
  wrongPrefix: string | undefined,
): Promise<View> {
  const { state, notMerged, error, data, cleared } = await processes.others()
  const own = processes.own()
  const all = [own, ...data]
  const messageOf = messagesFor(role)
  const refusedAt = processes.refusedAt()
  const limiters = mergedLimiters(own, data, cleared)
  const ofRules = all.flatMap((one) => one.rules)
  const stores = mergedStores(all.map((one) => one.stores))
  return {
    at: own.at,
    role,
    ...(role === 'read' && { isMasked: true }),
    processes: all.length + notMerged,
    share: {
      state,
      notMerged,
      ...newerIn(data),
      ...(error !== undefined && { error: messageOf('', error) }),
      ...(wrongPrefix !== undefined && { wrongPrefix }),
    },
    limiters: limiterViews(limiters, acting, own.at, keyFor(role), rows),
    ...(rules && { rules: rulesView(rules, ofRules, refusedAt, messageOf) }),
    stores: stores.map((store) => withMessage(store, messageOf)),
  }
}

function withMessage({ lastError, ...store }: StoreView, messageOf: MessageOf): StoreView {
  if (lastError === undefined) return store
  const message = messageOf(lastError.code, lastError.message)
  return { ...store, lastError: { ...lastError, message } }
}

/** How many processes have a newer version of this package. */
export function newerIn(data: readonly SharedData[]): { readonly newer?: number } {
  const newer = data.filter(({ isNewer }) => isNewer).length
  return newer === 0 ? {} : { newer }
}
