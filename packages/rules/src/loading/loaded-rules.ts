import type { Awaitable, RequestView, Rules } from '@sluice/core/http'
import type { Explanation } from '../compile/explain.js'
import type { RuleSet } from '../compile/rule-set.js'
import type { RuleStats } from '../compile/stats.js'
import { requestRules } from '../decide/request-rules.js'
import type { RulesDocument } from '../document/document.js'
import { RequestFacts, type ValueFunctions } from './facts-of-request.js'
import { createKeeper } from './keep.js'
import { factsOf, type RuleContext } from './limiter/context.js'
import { createRuleLoader, type Compile, type RulesState } from './rule-loader.js'
import type { RuleSource } from './sources/rule-source.js'
import { textOf } from './sources/static-source.js'

/** Rules that follow their source. `rateLimit({ rules })` and `createRuleLimiter({ rules })` take them. */
export interface LoadedRules<R> extends Rules<R> {
  /** The current rules. One object belongs to one version of the document. */
  readonly current: RuleSet
  /** Finds the rules that apply to a request. */
  judge(request: R, view: RequestView<R>): ReturnType<RuleSet['judge']>
  /** The version of the rules, its origin, and the error if it is not the version of the source. */
  state(): RulesState
  /** The counters of each rule by its id, since the rule was first loaded. The counters of a removed rule are dropped. */
  stats(): ReadonlyMap<string, RuleStats>
  /** Explains how the rules decide a request, rule by rule. Counts nothing. */
  explain(context: RuleContext): Awaitable<Explanation>
  /**
   * Reads the source now, and resolves when its rules are in use. Rejects and keeps the current rules if the source cannot be read or its document is
   * invalid.
   */
  reload(): Promise<void>
  /** Replaces the rules by this document until the source changes. Rejects and keeps the current rules if the document is invalid. */
  replace(document: RulesDocument | string): Promise<void>
  /** Stops following the source. The current rules still decide requests. */
  close(): void
}

export interface LoadedRulesOptions<R> {
  readonly source: RuleSource
  readonly values: ValueFunctions<R>
  readonly keep: string | undefined
  readonly clock: () => number
  readonly compile: Compile
}

/** Loads rules with a given compiler. */
export async function createLoadedRules<R>(
  options: LoadedRulesOptions<R>,
): Promise<LoadedRules<R>> {
  const { source, keep, clock, compile } = options
  const keeper = keep === undefined ? undefined : createKeeper(keep)
  const loader = await createRuleLoader(source, compile, keeper)
  // Own properties only: a value may be called `constructor`.
  const values = new Map(Object.entries(options.values))
  function judge(_request: R, view: RequestView<R>): ReturnType<RuleSet['judge']> {
    return loader.current.judge(new RequestFacts(view, values), clock())
  }

  return {
    get current() {
      return loader.current
    },
    ...requestRules<R>(loader.current.name, judge),
    judge,
    state: loader.state,
    stats: () => loader.current.stats,
    explain(context) {
      const set = loader.current
      return set.explain(factsOf(context, set.document), clock())
    },
    reload: loader.reload,
    replace: async (document) => loader.replace({ ...textOf(document), files: new Map() }),
    close: loader.close,
  }
}
