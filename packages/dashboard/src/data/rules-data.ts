import type { Policy } from '@sluice/core'
import { isFunction, isRecord } from '@sluice/core/internal'
import { ruleCounters, type RuleCounter, type RulesView } from '../view.js'
import type { MessageOf } from './shown.js'

/** The most rules of a view. */
const mostRules = 1000

/** A rule of a document, as far as the dashboard shows it. */
export interface ShownRule {
  readonly id: string
  readonly note?: string
  readonly shadow?: boolean
  readonly enabled?: boolean
  /** The name of its count. */
  readonly count?: string
  readonly limit?: unknown
  readonly policy?: unknown
  readonly policies?: Readonly<Record<string, unknown>>
  readonly overrides?: unknown
}

/** The counters of a rule. */
export type RuleStats = Readonly<Record<RuleCounter, number>>

/** The rules of an application, as `loadRules` of `@sluice/rules` returns them. */
export interface DashboardRules {
  readonly name: string
  readonly current: {
    readonly document: { readonly rules: readonly ShownRule[] }
    readonly policies?: ReadonlyMap<string, Policy>
  }
  state(): {
    readonly version: string
    readonly loadedAt: Date
    readonly from: string
    readonly stale: { readonly code: string; readonly message: string } | undefined
  }
  stats(): ReadonlyMap<string, RuleStats>
}

/** The counters of the rules of one process, in the order of `ruleCounters`, by the id of the rule. */
export interface RulesData {
  readonly name: string
  readonly stats: readonly (readonly [id: string, counts: readonly number[]])[]
}

/** The counters that are not 0. */
export function rulesData(rules: DashboardRules): RulesData {
  const all = Array.from(rules.stats(), ([id, of]) => {
    return [id, ruleCounters.map((name) => of[name])] as const
  })
  return { name: rules.name, stats: all.filter(([, counts]) => counts.some((one) => one > 0)) }
}

/**
 * The rules of this process, with the counters of all processes that have rules of this name.
 *
 * @param refusedAt since when they are not those of their source, if they are not
 */
export function rulesView(
  rules: DashboardRules,
  all: readonly RulesData[],
  refusedAt: number,
  messageOf: MessageOf,
): RulesView {
  const { name, current } = rules
  const { version, loadedAt, from, stale } = rules.state()
  const sums = sumsOf(all.filter((data) => data.name === name))
  return {
    name,
    version,
    loadedAt: loadedAt.getTime(),
    from,
    ...(stale && {
      refused: {
        at: refusedAt,
        code: stale.code,
        message: messageOf(stale.code, stale.message),
      },
    }),
    rules: current.document.rules.slice(0, mostRules).map((rule) => {
      const { shadow = false, enabled = true } = rule
      return Object.assign(named(rule), {
        shadow,
        enabled,
        stats: statsOf(sums.get(rule.id) ?? []),
      })
    }),
  }
}

function sumsOf(all: readonly RulesData[]): ReadonlyMap<string, readonly number[]> {
  const sums = new Map<string, readonly number[]>()
  for (const [id, counts] of all.flatMap(({ stats }) => stats)) {
    const known = sums.get(id)
    sums.set(id, known === undefined ? counts : known.map((sum, i) => sum + (counts[i] ?? 0)))
  }
  return sums
}

function statsOf(counts: readonly number[]): RuleStats {
  const [matched = 0, asked = 0, allowed = 0, denied = 0, near = 0, ...others] = counts
  const [shadowDenied = 0, refused = 0, errors = 0] = others
  return { matched, asked, allowed, denied, near, shadowDenied, refused, errors }
}

/** The rules that count by some policies: a policy has the name of the count, or that name, a dot and its own name. */
export function rulesOf(
  rules: DashboardRules,
  policies: readonly string[],
): { readonly id: string; readonly description?: string }[] {
  return rules.current.document.rules
    .filter(({ id, count = id }) => {
      return policies.some((name) => name === count || name.startsWith(`${count}.`))
    })
    .slice(0, mostRules)
    .map(named)
}

/** The names of the counts whose limit depends on the request: on a value, a schedule or an override. */
export function varyingCounts(rules: DashboardRules): string[] {
  return rules.current.document.rules.flatMap((rule) => {
    const { id, count = id, limit, policy, policies = {}, overrides } = rule
    const several = Object.entries(policies).map(([name, one]) => ({
      name: `${count}.${name}`,
      one,
    }))
    const all = [{ name: count, one: limit }, { name: count, one: policy }, ...several]
    // A limit that is a text is a value of the application.
    const isVarying = (one: unknown): boolean =>
      typeof one === 'string' || (isRecord(one) && 'by' in one)
    return all
      .filter(({ one }) => overrides !== undefined || isVarying(one))
      .map(({ name }) => name)
  })
}

function named({ id, note }: ShownRule): { readonly id: string; readonly description?: string } {
  return note === undefined ? { id } : { id, description: note }
}

/** Whether a value is rules that were loaded. */
export function isRules(value: unknown): value is DashboardRules {
  return (
    isRecord(value) &&
    typeof value['name'] === 'string' &&
    isFunction(value['state']) &&
    isFunction(value['stats']) &&
    isRecord(value['current'])
  )
}
