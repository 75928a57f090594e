import type { DeniedKey, LimiterView, TopKeys, View } from '../page/view.js'
import { base, denied, limiter, noise, rules, shareOfStep, stepMs } from './samples.js'

/** Views of the page at a moment, by the name of the folder in which the server of the tests serves them. */
export const scenarios = {
  /** No request yet. */
  empty: (at) => ({
    ...base(at),
    limiters: [limiter(at, { name: 'api', rate: 0 }), limiter(at, { name: 'login', rate: 0 })],
  }),
  /** Requests, and no key that is limited. */
  calm: (at) => ({ ...base(at), limiters: [limiter(at, { name: 'api', rate: 40 })] }),
  busy,
  attack,
  /** Redis does not answer. */
  failed: (at) => ({
    ...busy(at),
    limiters: busy(at).limiters.map(({ denied: rows, ...rest }) =>
      Object.assign(rest, { denied: rows.map(withFallback) }),
    ),
    processes: 1,
    share: { state: 'failed', notMerged: 0, error: 'connect ECONNREFUSED 127.0.0.1:6390' },
    stores: [
      {
        name: 'redis',
        state: 'fallback',
        sinceAt: at - 96_000,
        errors: 1841,
        lastError: {
          code: 'SLUICE_STORE_UNAVAILABLE',
          message: 'The store did not answer within 100 ms',
          at: at - 700,
        },
      },
    ],
  }),
  read: (at) => hidden(busy(at)),
  hostile,
  /** A document of rules was refused, and a process of another version runs. */
  refused: (at) => ({
    ...busy(at),
    share: { state: 'ok', notMerged: 1 },
    rules: {
      ...rules(at),
      refused: {
        at: at - 25 * 60_000,
        code: 'SLUICE_RULES_INVALID',
        message: 'rules[2].policies[0].window: “1 month” is not a duration.',
      },
    },
  }),
  /** `redisView` has another prefix than the store. */
  prefix: (at) => ({
    ...busy(at),
    share: { state: 'ok', notMerged: 0, wrongPrefix: 'sluice' },
  }),
  /** One process without `share`. */
  single: (at) => ({ ...busy(at), processes: 1, share: { state: 'none', notMerged: 0 } }),
} as const satisfies Record<string, (at: number) => View>

export type ScenarioName = keyof typeof scenarios

/** Keys that a page must show as text. */
export const hostileKeys = [
  '<img src=x onerror="window.attacked = 1">',
  '</td></tr></table><script>window.attacked = 2</script>',
  '\u202Eevil\u2066.moc.elpmaxe\u0645\u0641\u062A\u0627\u062D',
  'x'.repeat(300),
  '\u{1F468}\u200D\u{1F469}\u200D\u{1F467} \u{1F512} \u{1F30D}',
  '"\'`${alert(1)}\\{{constructor}}',
  'two\nlines\tand a tab',
  '',
]

function busy(at: number): View {
  return {
    ...base(at),
    limiters: [
      limiter(at, {
        name: 'api',
        rate: 118,
        share: 0.021,
        wouldDeny: 0.06,
        policies: ['minute', 'day'],
        denied: [
          denied(at, { key: '203.0.113.64', policies: ['minute'], denials: 412, forMs: 22_000 }),
          denied(at, {
            key: 'customer:acme-logistics',
            policies: ['day'],
            denials: 188,
            forMs: 5.2e6,
          }),
          denied(at, {
            key: '2001:db8:85a3::8a2e',
            policies: ['minute', 'day'],
            denials: 41,
            forMs: 7.1e6,
          }),
          denied(at, { key: 'customer:initech', policies: ['minute'], denials: 9, forMs: 48_000 }),
        ],
      }),
      limiter(at, {
        name: 'login',
        rate: 3.4,
        share: 0.09,
        policies: ['per-account', 'per-address'],
        denied: [
          denied(at, {
            key: 'm.moreno@example.com',
            policies: ['per-account'],
            denials: 26,
            forMs: 840_000,
            isBlocked: true,
          }),
          denied(at, {
            key: '198.51.100.7',
            policies: ['per-address'],
            denials: 14,
            forMs: 310_000,
          }),
        ],
      }),
      limiter(at, {
        name: 'webhooks',
        rate: 9,
        share: 0.004,
        policies: ['burst'],
        canAct: false,
        denied: [
          denied(at, {
            key: 'https://hooks.example.net/orders/eu-central/7f3a91c2',
            policies: ['burst'],
            denials: 3,
            forMs: null,
          }),
        ],
      }),
    ],
    rules: rules(at),
  }
}

/** One address has sent a hundred times its limit for four minutes, and others more than theirs. */
function attack(at: number): View {
  const [api, ...others] = busy(at).limiters
  return { ...busy(at), limiters: [attacked(at, api), ...others] }
}

function attacked(
  at: number,
  { series, policies, denied: rows, top, ...rest }: LimiterView,
): LimiterView {
  const firstDeniedAt = at - 240_000
  const added = series.denied.map((_, i) => {
    const time = series.startsAt + i * stepMs
    const strength = Math.min(1, Math.max(0, time - firstDeniedAt) / 30_000)
    return Math.round(9000 * strength * (0.85 + noise(i) * 0.3) * shareOfStep(at, time))
  })
  const plus = (values: readonly number[]) => values.map((value, i) => value + added[i])
  const [first, ...morePolicies] = policies
  const attacker = {
    ...denied(at, {
      key: '192.0.2.66',
      policies: ['minute', 'day'],
      denials: 201_884,
      forMs: 52_000,
    }),
    firstDeniedAt,
  }
  const helpers = Array.from({ length: 47 }, (_, i) =>
    denied(at, {
      key: `192.0.2.${i + 100}`,
      policies: ['minute'],
      denials: 640 - i * 13,
      forMs: 8000 + noise(i) * 50_000,
    }),
  )
  const { key, denials } = attacker
  const listed = (list: TopKeys, count: number) => ({
    ...list,
    keys: [{ key, count, error: 0 }, ...list.keys],
    total: list.total + 1,
  })
  return {
    ...rest,
    series: { ...series, denied: plus(series.denied) },
    policies: [{ ...first, denied: plus(first.denied) }, ...morePolicies],
    denied: [attacker, ...helpers, ...rows],
    deniedTotal: 1 + helpers.length + rows.length,
    top: {
      requests: listed(top.requests, denials + 120),
      denials: listed(top.denials, denials),
    },
  }
}

/** What the role `read` sees. */
function hidden(view: View): View {
  const hideAll = <R extends { readonly key: string }>(rows: readonly R[]): readonly R[] =>
    rows.map((row) => ({ ...row, key: '(hidden)' }))
  const hideTop = (list: TopKeys): TopKeys => ({ ...list, keys: hideAll(list.keys) })
  return {
    ...view,
    role: 'read',
    isMasked: true,
    limiters: view.limiters.map(({ denied: rows, top, ...limiter }) => {
      const { requests, denials } = top
      return Object.assign(limiter, {
        denied: hideAll(rows),
        top: { requests: hideTop(requests), denials: hideTop(denials) },
      })
    }),
  }
}

function hostile(at: number): View {
  const rows = hostileKeys.map((key, i) =>
    denied(at, { key, policies: ['<b>minute</b>'], denials: 90 - i, forMs: 60_000 }),
  )
  const api = limiter(at, {
    name: 'api',
    rate: 20,
    share: 0.1,
    policies: ['<b>minute</b>'],
    denied: rows,
  })
  const keys = rows.map(({ key }, i) => ({ key, count: 400 - i, error: i }))
  const list = { keys, total: keys.length, unlisted: 0, sinceAt: at - 412_000 }
  return {
    ...base(at),
    limiters: [{ ...api, top: { requests: list, denials: list } }],
  }
}

function withFallback(row: DeniedKey): DeniedKey {
  return { ...row, source: 'fallback' }
}
