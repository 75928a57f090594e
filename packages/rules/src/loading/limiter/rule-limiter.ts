import {
  createLimiter,
  type Clock,
  type Costs,
  type Duration,
  type Limiter,
  type OnStoreError,
  type Store,
} from '@sluice/core'
import {
  chosenPerCall,
  checked,
  checkedIfGiven,
  isPromise,
  isRecord,
  namedPolicies,
  readOptions,
} from '@sluice/core/internal'
import { applyLimits, decideByRules, peekAt } from '../../decide/apply.js'
import type { Ask, LimitCheck, RuleMatch } from '../../decide/match.js'
import type { RuleDecision } from '../../decide/outcome.js'
import { ruleDecision, type CheckResult } from '../../decide/rule-decision.js'
import type { RuleSet } from '../../compile/rule-set.js'
import { factsOf, type RuleContext } from './context.js'
import { exceededRules, peekedCounts, type ExceededRule, type PeekedCounts } from './peeks.js'

/** Options of `createRuleLimiter`. */
export interface RuleLimiterOptions {
  /** The rules, as `loadRules` returns them. */
  readonly rules: { readonly name: string; readonly current: RuleSet }
  /**
   * Keeps the counts. A `rateLimit({ rules })` with the same rules and the same store shares them.
   *
   * @default memoryStore()
   */
  readonly store?: Store | undefined
  /**
   * Returns milliseconds since the epoch, in place of the time of the store and of schedules: for tests.
   *
   * @default the store's own time
   */
  readonly clock?: Clock | undefined
  /**
   * How requests are decided while the store is unavailable, as in `createLimiter`.
   *
   * @default 'local'
   */
  readonly onStoreError?: OnStoreError | undefined
  /**
   * The share of each limit that this process allows while the store is unavailable, as in `createLimiter`.
   *
   * @default 1
   */
  readonly localShare?: number | undefined
}

/** `createLimiter` checks the others. */
const passedOn = checkedIfGiven('', () => true)

const readers = {
  rules: {
    ...checked('rules, such as those that loadRules returns', isRules),
    advice: (value: unknown) => (isPromise(value) ? 'This is a promise: await it' : undefined),
  },
  store: passedOn,
  clock: passedOn,
  onStoreError: passedOn,
  localShare: passedOn,
}

/** Decides by rules, without HTTP. */
export interface RuleLimiter {
  /** The namespace of its counters. */
  readonly name: string
  /** Decides, and counts if all rules that apply allow. `signal` ends the wait for a rule with `over: { delay }`. */
  consume(context: RuleContext, options?: { readonly signal?: AbortSignal }): Promise<RuleDecision>
  /** Decides as `consume` would now. Changes no count. A rule with `over: { delay }` denies instead of waiting. */
  peek(context: RuleContext): Promise<RuleDecision>
  /** `peek` for many contexts. Over Redis they share round trips. */
  peekMany(contexts: readonly RuleContext[]): Promise<readonly RuleDecision[]>
  /** Every rule that would deny now, in the order of the document, rules with `over: { tag }` included. Changes no count. */
  peekAll(context: RuleContext): Promise<readonly ExceededRule[]>
  /**
   * The verdict of each count that the rules of the request use, by its name, shadow rules included, even if another rule denies the request. Changes
   * no count.
   */
  peekCounts(context: RuleContext): Promise<PeekedCounts>
  /** Counts in all rules that apply, even over their limits: for an event that has already happened. */
  count(context: RuleContext): Promise<void>
  /**
   * Exempts the keys of all rules that apply, as the `exempt` of a limiter: for this duration their requests are allowed, and nothing is counted. A rule that refuses
   * requests without a limit still refuses them.
   */
  exempt(context: RuleContext, length: Duration): Promise<void>
  /** Ends the exemptions of the keys of all rules that apply. */
  unexempt(context: RuleContext): Promise<void>
  /** Grants the keys of all rules that apply units beside their quotas, as the `grant` of a limiter. */
  grant(context: RuleContext, units: number, options: { readonly for: Duration }): Promise<void>
  /** Ends the grants of the keys of all rules that apply. */
  ungrant(context: RuleContext): Promise<void>
  /** Changes what a decision took to what the work took in the end, as the `adjust` of a limiter. */
  adjust(decision: RuleDecision, cost: Costs): Promise<boolean>
  /**
   * Refunds the units that a decision took. With `policies`, it refunds only the counts of these names: a name is the `count` of a rule, by default
   * its id. True if a count was refunded.
   */
  refund(
    decision: RuleDecision,
    options?: { readonly policies?: readonly string[] },
  ): Promise<boolean>
  /** Closes the store if the limiter created it. The rules stay open. */
  close(): Promise<void>
}

/**
 * Creates a limiter that decides by rules without HTTP: for a queue, a socket or a service.
 *
 * @example
 * const limiter = createRuleLimiter({ rules })
 * const { allowed, rule, outcome } = await limiter.consume({ user: '42', action: 'post' })
 * @throws SluiceError if an option is missing, unknown or invalid
 */
export function createRuleLimiter(given: RuleLimiterOptions): RuleLimiter {
  readOptions('createRuleLimiter', given, readers)
  const { rules, ...options } = given
  const { name } = rules
  const { clock = Date.now } = options
  const limiter: Limiter = createLimiter({ ...options, name, policies: chosenPerCall })

  async function judge(context: RuleContext): Promise<RuleMatch> {
    const set = rules.current
    return set.judge(factsOf(context, set.document), clock())
  }

  async function peek(context: RuleContext): Promise<RuleDecision> {
    // Nothing delays a peek.
    const match = await judge(context)
    return ruleDecision(match, await applyLimits(limiter, match, { isPeek: true }))
  }

  /** The checks do not depend on each other. */
  const peeks = (checks: readonly LimitCheck[]): Promise<readonly CheckResult[]> =>
    Promise.all(checks.map((check) => peekAt(limiter, check)))

  async function each(
    context: RuleContext,
    change: (check: LimitCheck) => Promise<unknown>,
  ): Promise<void> {
    await Promise.all((await checksOf(await judge(context))).map(change))
  }

  return {
    name,
    consume: async (context, options) => decideByRules(limiter, await judge(context), options),
    peek,
    peekMany: (contexts) => Promise.all(contexts.map(peek)),
    async peekAll(context) {
      const match = await judge(context)
      return exceededRules(match, await peeks(match.type === 'ask' ? ownOf(match) : []))
    },
    peekCounts: async (context) => peekedCounts(await peeks(await checksOf(await judge(context)))),
    count: (context) => each(context, penalize),
    exempt: (context, length) =>
      each(context, async (check) => {
        const { keys, policies } = check
        if (isCounted(check)) await limiter.exempt(keys, length, { policies })
      }),
    unexempt: (context) =>
      each(context, async ({ keys, policies }) => limiter.unexempt(keys, { policies })),
    grant: (context, units, options) =>
      each(context, async (check) => {
        const { keys, policies } = check
        if (isCounted(check)) await limiter.grant(keys, units, { ...options, policies })
      }),
    ungrant: (context) =>
      each(context, async ({ keys, policies }) => limiter.ungrant(keys, { policies })),
    adjust: async (decision, cost) => limiter.adjust(decision, cost),
    refund: async (decision, options) => limiter.refund(decision, options),
    close: async () => limiter.close(),
  }

  async function penalize({ keys, cost, policies }: LimitCheck): Promise<void> {
    if (typeof cost === 'number') return limiter.penalize(keys, cost, { policies })
    const penalties = Object.entries(cost).map(async ([policy, units]) =>
      limiter.penalize(keys, units, { policies, policy }),
    )
    await Promise.all(penalties)
  }
}

/** Whether a policy can deny. An exemption from `unlimited` alone is an error, because it would change nothing. */
function isCounted({ policies }: LimitCheck): boolean {
  return Object.values(namedPolicies(policies)).some(({ kind }) => kind !== 'unlimited')
}

function ownOf({ enforced, tagging }: Ask): readonly LimitCheck[] {
  return [...enforced, ...tagging]
}

async function checksOf(match: RuleMatch): Promise<readonly LimitCheck[]> {
  if (match.type !== 'ask') return []
  return [...ownOf(match), ...match.shadow, ...((await match.lateShadow) ?? [])]
}

function isRules(value: unknown): value is RuleLimiterOptions['rules'] {
  return isRecord(value) && 'name' in value && 'current' in value
}
