import type { DeniedKey, LimiterView, PolicyView, RulesView, TopKeys, View } from '../page/view.js'

export const stepMs = 10_000
const steps = 360

export function base(at: number): View {
  return {
    at,
    role: 'write',
    processes: 4,
    share: { state: 'ok', notMerged: 0 },
    limiters: [],
    stores: [],
  }
}

export function limiter(
  at: number,
  {
    name,
    rate,
    share = 0,
    wouldDeny = 0,
    policies = ['default'],
    denied: rows = [],
    canAct = true,
  }: {
    name: string
    rate: number
    share?: number
    /** The share of the requests that shadow rules would deny. */
    wouldDeny?: number
    policies?: readonly string[]
    denied?: readonly DeniedKey[]
    canAct?: boolean
  },
): LimiterView {
  const startsAt = Math.floor(at / stepMs) * stepMs - (steps - 1) * stepMs
  const seed = name.length * 7919
  const counts = (part: number, jitter: number) =>
    Array.from({ length: steps }, (_, i) => {
      const time = startsAt + i * stepMs
      const step = time / stepMs + seed
      const wave =
        1 + 0.28 * Math.sin(step / 47) + 0.12 * Math.sin(step / 9) + jitter * (noise(step) - 0.5)
      return Math.max(0, Math.round(rate * part * 10 * wave * shareOfStep(at, time)))
    })
  const allowed = counts(1 - share, 0.22)
  const deniedCounts = counts(share, 0.7)
  const parts = policies.map((_, i) => (i === 0 ? 1 - 0.28 * (policies.length - 1) : 0.28))
  return {
    name,
    canAct,
    policies: policies.map((policy, p): PolicyView => ({
      name: policy,
      denied: deniedCounts.map((value) => Math.round(value * parts[p])),
      limit: p === 0 ? 100 : 5000,
    })),
    series: {
      startsAt,
      stepMs,
      allowed,
      denied: deniedCounts,
      exempt: counts(0, 0),
      wouldDeny: counts(wouldDeny, 0.5),
    },
    top: {
      requests: topKeys(at, rate * 60, rows),
      denials: topKeys(at, rate * share * 150, rows),
    },
    denied: rows,
    deniedTotal: rows.length,
  }
}

/** Keys whose counts fall as 1/n. */
function topKeys(at: number, most: number, rows: readonly DeniedKey[]): TopKeys {
  const count = Math.min(24, Math.floor(most / 4))
  const names = [
    ...rows.map(({ key }) => key),
    ...Array.from({ length: 24 }, (_, i) => `203.0.113.${i * 9 + 4}`),
  ]
  const keys = names.slice(0, count).map((key, i) => {
    const error = i < 3 ? 0 : Math.round(most * 0.002 * i)
    return { key, count: Math.round(most / (i + 1)), error }
  })
  return { keys, total: keys.length, unlisted: Math.round(most * 0.03), sinceAt: at - 412_000 }
}

export function denied(
  at: number,
  {
    key,
    policies,
    denials,
    forMs,
    isBlocked = false,
    source = 'store',
  }: {
    key: string
    policies: readonly string[]
    denials: number
    forMs: number | null
    isBlocked?: boolean
    source?: DeniedKey['source']
  },
): DeniedKey {
  return {
    key,
    policies,
    // The wait ends at a fixed time and starts again, as that of a client that continues.
    untilAt: forMs === null ? null : at + forMs - (at % 8000),
    denials: denials + Math.floor((at % 3_600_000) / 2000),
    firstDeniedAt: at - Math.round(denials * 2100),
    lastDeniedAt: at - 400,
    source,
    isBlocked,
  }
}

export function rules(at: number): RulesView {
  const stats = (asked: number, deniedCount: number, shadowDenied = 0, near = 0, errors = 0) => ({
    matched: asked,
    asked,
    allowed: asked - deniedCount,
    denied: deniedCount,
    near,
    shadowDenied,
    refused: 0,
    errors,
  })
  return {
    name: 'public-api',
    version: '2026-11-18.3',
    loadedAt: at - 3.1 * 3_600_000,
    from: 'redis: limits/public-api',
    rules: [
      {
        id: 'free-plan',
        description: '100 requests a minute for each customer of the free plan',
        shadow: false,
        enabled: true,
        stats: stats(312_480, 6120, 0, 14_210),
      },
      {
        id: 'paid-plan',
        description: '5,000 requests a day for each paying customer',
        shadow: false,
        enabled: true,
        stats: stats(118_204, 188, 0, 2044),
      },
      {
        id: 'search-cost',
        description: 'A search costs 5 units',
        shadow: true,
        enabled: true,
        stats: stats(41_090, 0, 3872, 901),
      },
      { id: 'export', shadow: false, enabled: false, stats: stats(0, 0) },
    ],
  }
}

/** The part of a step that has passed. */
export function shareOfStep(at: number, time: number): number {
  return Math.min(1, Math.max(0, (at - time) / stepMs))
}

export function noise(n: number): number {
  const value = Math.sin(n * 12.9898) * 43_758.5453
  return value - Math.floor(value)
}
