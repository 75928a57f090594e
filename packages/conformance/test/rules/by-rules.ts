import type { Decision, Limiter, Policies, Policy } from '@sluice/core'
import type { RequestDecision, RequestView, Rules } from '@sluice/core/http'
import { requestRules, type LimitCheck, type RuleMatch } from '@sluice/rules/internal'
import { loadRules, staticSource, type LoadedRules, type RulesDocument } from '@sluice/rules'
import type { Adapter, App, NeutralOptions, OptionsFor } from '../../src/adapters/adapter.js'
import { after } from '../../src/adapters/after.js'

type Rule = RulesDocument['rules'][number]

/** The number of limiters of a suite that rules replaced, and of those with other options. */
export interface Translated {
  byRules: number
  others: number
}

/**
 * An adapter that limits by a document with one rule, which is equivalent to the options. Options that no document can express, such as a
 * function that returns a key, are passed on unchanged.
 */
export function byRules(adapter: Adapter, translated: Translated): Adapter {
  return {
    ...adapter,
    name: `${adapter.name} by rules`,
    async serve(app) {
      const loading: Promise<unknown>[] = []
      let own: Policies | undefined
      const translate =
        (options: OptionsFor): OptionsFor =>
        (read) => {
          const given = options(read)
          const rules = rulesOf(given)
          if (rules === undefined) {
            translated.others++
            return given
          }
          translated.byRules++
          own ??= rules.policies
          return { ...rest(given), rules: loaded(given, rules, loading) }
        }
      const served = await adapter.serve({
        ...app,
        options: translate(app.options),
        second: app.second && translate(app.second),
        handle: (visit) =>
          app.handle(own === undefined ? visit : { ...visit, decision: numbersOf(visit.decision) }),
      } satisfies App)
      await Promise.all(loading)
      const limiter = (): Limiter => {
        const behind = served.limiter()
        return own === undefined ? behind : withPolicies(behind, own)
      }
      return { ...served, limiter }
    },
  }
}

interface Translation {
  readonly policies: Policies
  readonly rules: readonly Rule[]
  /** Whether the policy has no name of its own, so that responses call it by the name of the limiter. */
  readonly isUnnamed: boolean
}

/** The rules that are equivalent to the options; undefined if a document cannot express the options. */
function rulesOf<R>(options: NeutralOptions<R>): Translation | undefined {
  const { count = 'all', resetOn, cost = 1, wait, statusCode, allow, deny } = options
  const key = keyOf(options.key)
  const policies = policiesOf(options)
  if (key === undefined || policies === undefined || allow !== undefined || deny !== undefined) {
    return undefined
  }
  if (typeof count !== 'string' || typeof resetOn === 'object' || typeof cost !== 'number') {
    return undefined
  }
  // A document denies with an error only.
  if ((statusCode ?? 429) < 400) return undefined
  const names = Object.keys(policies)
  // An id cannot be a space, and the rule of a delayed request has no status.
  if (names.includes(' ') || (wait !== undefined && statusCode !== undefined)) return undefined
  const body = typeof options.body === 'function' ? undefined : options.body
  if (body instanceof Object && !isPlain(body)) return undefined
  const over =
    wait !== undefined
      ? { delay: wait.max }
      : { deny: { ...(statusCode && { status: statusCode }), ...(body && { body }) } }
  const members = { key, cost, counts: count, over, ...(resetOn && { resetOn }) }
  const declared = new Map(Object.entries(policies).map(([id, policy]) => [id, { ...policy }]))
  const rules = [...declared].map(([id, policy]): Rule => Object.assign({ id, policy }, members))
  const { limit, policies: stated } = options
  const isSingle = typeof stated === 'object' && isPolicy(stated)
  return { policies, rules, isUnnamed: limit !== undefined || isSingle }
}

function keyOf(key: unknown): Rule['key'] | undefined {
  // The default is the address, and all requests count together under the key of rules without parts.
  return key === undefined ? 'ip' : key === 'all' ? [] : undefined
}

function policiesOf<R>(options: NeutralOptions<R>): Readonly<Record<string, Policy>> | undefined {
  const { policies, limit, window, algorithm } = options
  if (typeof policies === 'function' || typeof limit === 'function') return undefined
  if (policies !== undefined) return isPolicy(policies) ? { default: policies } : policies
  if (limit === undefined || window === undefined || algorithm === undefined) return undefined
  return { default: algorithm({ limit, window }) }
}

function isPolicy(policies: Policies): policies is Policy {
  return typeof policies['kind'] === 'string'
}

function isPlain(body: object): body is Readonly<Record<string, unknown>> {
  return Object.getPrototypeOf(body) === Object.prototype
}

/** The options that rules do not decide. */
function rest<R>(options: NeutralOptions<R>): object {
  const {
    limit: _limit,
    window: _window,
    algorithm: _algorithm,
    policies: _policies,
    name: _name,
    key: _key,
    cost: _cost,
    count: _count,
    resetOn: _resetOn,
    wait: _wait,
    statusCode: _status,
    body,
    onDecision,
    onDenied,
    ...others
  } = options
  return {
    ...others,
    ...(typeof body === 'function' && { body }),
    ...(onDecision && {
      onDecision: (request: R, decision: RequestDecision) =>
        onDecision(request, numbersOf(decision) ?? decision),
    }),
    ...(onDenied && {
      onDenied: (decision: Decision) => onDenied(numbersOf(decision) ?? decision),
    }),
  }
}

/** The rules of a document, which the options need before the document is loaded. */
function loaded<R>(
  { name = 'default', clock = Date.now }: NeutralOptions<R>,
  { rules, isUnnamed }: Translation,
  loading: Promise<unknown>[],
): Rules<R> {
  let current: LoadedRules<R> | undefined
  const source = staticSource({ version: 1, name, rules })
  const load = loadRules<R>({ source, clock }).then((found) => (current = found))
  loading.push(load)
  return requestRules(name, (request: R, view: RequestView<R>) => {
    const judgement =
      current === undefined
        ? load.then((found) => found.judge(request, view))
        : current.judge(request, view)
    return isUnnamed ? after(judgement, (found) => renamed(found, name)) : judgement
  })
}

/** The same judgement: responses call its policies by this name. */
function renamed(judgement: RuleMatch, publicName: string): RuleMatch {
  if (judgement.type !== 'ask') return judgement
  const [asked] = judgement.enforced
  if (asked === undefined) return judgement
  const { keys, policies, cost } = asked
  const rules = new Map(Array.from(asked.rules, ([id, rule]) => [id, { ...rule, publicName }]))
  const renamed: LimitCheck = {
    keys,
    policies,
    cost,
    rules,
    onDecision: (decision) => asked.onDecision?.(decision),
    onError: (error) => asked.onError?.(error),
  }
  return { ...judgement, enforced: [renamed] }
}

/** A decision without the fields that rules add. */
function numbersOf(decision: Decision | undefined): Decision | undefined {
  if (decision === undefined || !('applied' in decision)) return decision
  const {
    rule: _rule,
    outcome: _outcome,
    applied: _applied,
    tags: _tags,
    ...numbers
  } = {
    ...(decision as Required<RequestDecision>),
  }
  const { rules: _rules, ...plain } = numbers
  return plain
}

/** The limiter behind rules takes its policies from each call. */
function withPolicies(limiter: Limiter, own: Policies): Limiter {
  const chosen = { policies: own }
  return {
    ...limiter,
    consume: (key, options) => limiter.consume(key, { ...chosen, ...options }),
    peek: (key, options) => limiter.peek(key, { ...chosen, ...options }),
    status: (key, options) => limiter.status(key, { ...chosen, ...options }),
    reset: (key, options) => limiter.reset(key, { ...chosen, ...options }),
    block: (key, length, options) => limiter.block(key, length, { ...chosen, ...options }),
    unblock: (key, options) => limiter.unblock(key, { ...chosen, ...options }),
    exempt: (key, length, options) => limiter.exempt(key, length, { ...chosen, ...options }),
    unexempt: (key, options) => limiter.unexempt(key, { ...chosen, ...options }),
    refund: ((key: string, n?: number) => limiter.refund(key, n ?? 1, chosen)) as Limiter['refund'],
  }
}
