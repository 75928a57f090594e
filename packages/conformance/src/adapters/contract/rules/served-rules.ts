import { randomUUID } from 'node:crypto'
import { fixedWindow, type Policy } from '@sluice/core'
import type { Awaitable, RequestView } from '@sluice/core/http'
import type { Outcome } from '@sluice/rules'
import {
  requestRules,
  type Ask,
  type LimitCheck,
  type RuleMatch,
  type Pass,
} from '@sluice/rules/internal'
import type { NeutralOptions, Readers } from '../../adapter.js'
import type { AppExtras, OpenServer, TestServer } from '../../test-server.js'

export type Judge = <R>(
  read: Readers<R>,
) => (request: R, view: RequestView<R>) => Awaitable<RuleMatch>

/** Serves an application whose rules have a name of their own. */
export async function serveRules(
  open: OpenServer,
  judge: Judge,
  options: Pick<NeutralOptions<unknown>, 'dryRun' | 'onDenied'> = {},
  extras: AppExtras = {},
): Promise<TestServer> {
  const name = `rules ${randomUUID()}`
  return open((read) => ({ ...options, rules: requestRules(name, judge(read)) }), extras)
}

export function pass(): Pass {
  return { type: 'pass', version: 'v1', tags: [] }
}

export function asks(parts: Partial<Ask>): Ask {
  const { enforced = [], tagging = [] } = parts
  const applied = [...enforced, ...tagging].flatMap(({ policies }) => Object.keys(policies))
  return { type: 'ask', version: 'v1', tags: [], applied, enforced, tagging, shadow: [], ...parts }
}

/** Enforces these rules for every request. */
export function enforced(rules: Readonly<Record<string, OwnRule>>): Judge {
  return () => () => asks({ enforced: [consumption(rules)] })
}

interface OwnRule {
  readonly policy: Policy
  readonly outcome?: Outcome
  readonly counts?: 'failures' | readonly number[]
  readonly reserves?: boolean
  readonly countsDenied?: boolean
  readonly resetOnSuccess?: boolean
}

/** A consumption of one unit of the key "all", by rules that have the names of their policies. */
export function consumption(rules: Readonly<Record<string, OwnRule>>): LimitCheck {
  const entries = Object.entries(rules)
  const outcome = { type: 'deny', status: 429 } as const
  const usual = { outcome, counts: 'all', resetOnSuccess: false } as const
  return {
    keys: 'all',
    cost: 1,
    policies: Object.fromEntries(entries.map(([name, { policy }]) => [name, policy])),
    rules: new Map(entries.map(([name, own]) => [name, { rule: name, ...usual, ...own }])),
    onDecision: () => {},
    onError: () => {},
  }
}

export function perMinute(limit: number): Policy {
  return fixedWindow({ limit, window: '1m' })
}

/** The used units of the first of these policies. */
export async function usedOf(
  server: TestServer,
  policies: Readonly<Record<string, Policy>>,
): Promise<number> {
  const status = await server.behind().status('all', { policies })
  return Object.values(status.policies)[0].used
}
