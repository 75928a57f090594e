import { checkedPolicy, isCount, isRecord } from '@sluice/core/internal'
import type { Policy } from '@sluice/core'
import type { ClearedKey } from '../collect/cleared-keys.js'
import type { DeniedRun } from '../collect/denied-keys.js'
import type { HotKey } from '../collect/hot-keys.js'
import type { RecentCounts } from '../collect/recent-keys.js'
import { isList } from '../list.js'
import type { DeniedKey, StoreView } from '../view.js'
import { readCounts, type Counts } from './counts.js'
import type { LimiterData, PolicyData, ProcessData, SharedData } from './process-data.js'
import type { RulesData } from './rules-data.js'
import { snapshotVersion } from './snapshot.js'

/**
 * Reads the snapshot of a process. Undefined if an older version of this package wrote it, or if it is none. A newer version may have written parts that this version
 * does not know: they are left out.
 */
export function readSnapshot(text: string): SharedData | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (!isRecord(value) || count(value['v']) < snapshotVersion) return undefined
    const data = processData(value)
    if (data.limiters.length === 0 && list(value['limiters']).length > 0) return undefined
    return { ...data, isNewer: value['v'] !== snapshotVersion }
  } catch {
    return undefined
  }
}

/** Reads the keys that processes have cleared. */
export function readCleared(texts: readonly string[]): ClearedKey[] {
  return readable(texts, (one) => {
    const [limiter, key, at, policies] = list(JSON.parse(text(one)))
    const cleared = { limiter: text(limiter), key: text(key), at: time(at) }
    return policies === undefined ? cleared : { ...cleared, policies: list(policies).map(text) }
  })
}

/** Those of the members that can be read. */
function readable<T>(members: readonly unknown[], read: (one: unknown) => T): T[] {
  return members.flatMap((one) => {
    try {
      return [read(one)]
    } catch {
      return []
    }
  })
}

type Json = Readonly<Record<string, unknown>>

/** Stops the reading of a snapshot. */
function wrong(): never {
  throw new TypeError('this is no snapshot')
}

function processData(value: Json): ProcessData<Counts> {
  const startsAt = time(value['startsAt'])
  return {
    at: time(value['at']),
    startsAt,
    limiters: readable(list(value['limiters']), (one) => limiterData(record(one), startsAt)),
    stores: readable(list(value['stores']), (one) => storeView(record(one))),
    rules: readable(list(value['rules']), rulesData),
  }
}

function limiterData(value: Json, startsAt: number): LimiterData<Counts> {
  const counts = (form: unknown): Counts => readCounts(form, startsAt)
  const denied = counts(value['denied'])
  const wouldDeny = counts(value['wouldDeny'])
  const runs = readable(list(value['runs']), deniedRun)
  return {
    name: text(value['name']),
    allowed: counts(value['allowed']),
    denied,
    exempt: counts(value['exempt']),
    wouldDeny,
    policies: readable(list(value['policies']), (one): PolicyData<Counts> => {
      const [name, ownDenied, ownWouldDeny, limit, varies, policy] = list(one)
      return {
        name: text(name),
        denied: ownDenied === 1 ? denied : counts(ownDenied),
        wouldDeny: ownWouldDeny === 1 ? wouldDeny : counts(ownWouldDeny),
        limit: typeof limit === 'number' ? limit : undefined,
        varies: varies === 1,
        policy: policyIn(policy),
      }
    }),
    groups: list(value['groups']).map((names) => list(names).map(text)),
    requests: keyCounts(value['requests']),
    denials: keyCounts(value['denials']),
    runs,
    unlistedRuns: Math.max(0, count(value['deniedKeys']) - runs.length),
  }
}

/** Undefined for a policy that a limiter of this version does not take. */
function policyIn(value: unknown): Policy | undefined {
  try {
    return checkedPolicy(value, 'a snapshot')
  } catch {
    return undefined
  }
}

function keyCounts(value: unknown): RecentCounts {
  const [sinceAt, unlisted, keys] = list(value)
  return {
    sinceAt: time(sinceAt),
    lists: [
      {
        unlisted: count(unlisted),
        keys: readable(list(keys), (one): HotKey => {
          const [key, number, error] = list(one)
          return { key: text(key), count: count(number), error: count(error) }
        }),
      },
    ],
  }
}

function deniedRun(value: unknown): DeniedRun {
  const [key, policies, until, denials, firstAt, lastAt, source, isBlocked] = list(value)
  return {
    key: text(key),
    policies: list(policies).map(text),
    until: until === null ? Infinity : time(until),
    denials: count(denials),
    firstAt: time(firstAt),
    lastAt: time(lastAt),
    source: sources.find((one) => one === source) ?? wrong(),
    isBlocked: isBlocked === 1,
  }
}

const sources: readonly DeniedKey['source'][] = ['store', 'local', 'fallback', 'open', 'closed']

function storeView(value: Json): StoreView {
  const { lastError } = value
  return {
    name: text(value['name']),
    state: (['ok', 'open', 'fallback'] as const).find((one) => one === value['state']) ?? wrong(),
    sinceAt: value['sinceAt'] === null ? null : time(value['sinceAt']),
    errors: count(value['errors']),
    ...(lastError === undefined ? {} : { lastError: errorOf(record(lastError)) }),
  }
}

function errorOf({ code, message, at }: Json): NonNullable<StoreView['lastError']> {
  return { code: text(code), message: text(message), at: time(at) }
}

function rulesData(value: unknown): RulesData {
  const [name, stats] = list(value)
  const all = list(stats).map((one): [string, readonly number[]] => {
    const [id, counts] = list(one)
    return [text(id), list(counts).map(count)]
  })
  return { name: text(name), stats: new Map(all) }
}

function record(value: unknown): Json {
  return isRecord(value) ? value : wrong()
}

function list(value: unknown): readonly unknown[] {
  return isList(value) ? value : wrong()
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : wrong()
}

function count(value: unknown): number {
  return isCount(value) ? value : wrong()
}

function time(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : wrong()
}
