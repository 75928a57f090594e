import type { Decision } from '../decision.js'
import { addressed, entriesOf, type Keys, type Policies } from '../entries.js'
import { sluiceError } from '../errors.js'
import { createLimiter } from '../limiter.js'
import { memoryStore } from '../stores/memory/index.js'
import type { Store } from '../stores/store.js'
import { after, type Awaitable } from './awaitable.js'
import { byIp } from './by-ip.js'
import { contentWriter, retryAfter } from './denial.js'
import { fieldWriter } from './header-fields.js'
import { checkOptions, type RateLimitOptions } from './options.js'
import type { Outcome, Pass } from './outcome.js'
import { planOf } from './plan.js'
import type { RequestView } from './request-view.js'

/** What stands in front of a handler. */
export interface Guard<R, H> {
  /**
   * Says what is to become of a request: at once where the store and all functions of the options answer at once, else by a promise.
   * What goes wrong is thrown or rejected, for the framework's own error handling; it never lets a request through.
   */
  check(view: RequestView<R>): Outcome<H> | Promise<Outcome<H>>
}

/**
 * Makes the flow that every adapter shares: skip, key, consume, headers, then go on or answer.
 *
 * @throws SluiceError where an option is missing, unknown or wrong
 */
export function createGuard<R, H>(options: RateLimitOptions<R, H>): Guard<R, H> {
  checkOptions(options)
  const { clock, skip, key = byIp(), cost = 1, headers = 'draft', onDenied } = options
  const { statusCode = 429, body } = options
  const plan = planOf(options)
  const name = options.name ?? 'default'
  const limiter = createLimiter<Store>({
    name,
    policies: plan.policies,
    store: options.store ?? memoryStore(),
    ...(clock === undefined ? {} : { clock }),
  })
  if (typeof key !== 'function' && typeof options.policies !== 'function') {
    addressed(name, entriesOf(name, plan.policies), key)
  }
  const fieldsOf = fieldWriter(headers, name)
  const contentOf = contentWriter(statusCode, body)
  if (options.name === undefined) claimUnnamed(options.store)

  function check(view: RequestView<R>): Outcome<H> | Promise<Outcome<H>> {
    if (skip === undefined) return ask(view)
    return after(skip(view.raw), (skipped) => (skipped ? pass : ask(view)))
  }

  function ask(view: RequestView<R>): Outcome<H> | Promise<Outcome<H>> {
    return after(plan.policiesFor(view.raw), (policies) =>
      after(keyOf(view), (key) =>
        after(costOf(view.raw), (cost) =>
          after(limiter.consume(key, { cost, policies }), (decision) =>
            answer(view, policies, decision),
          ),
        ),
      ),
    )
  }

  function keyOf(view: RequestView<R>): Awaitable<Keys> {
    return typeof key === 'function' ? key(view.raw, view) : key
  }

  function costOf(request: R): Awaitable<number> {
    return typeof cost === 'function' ? after(cost(request), stated) : cost
  }

  // To the limiter no cost means 1; a function that forgot to say one has a bug.
  function stated(cost: number | undefined): number {
    if (cost === undefined) throw sluiceError('SLUICE_COST_INVALID', name, cost)
    return cost
  }

  function answer(
    view: RequestView<R>,
    policies: Policies,
    decision: Decision,
  ): Outcome<H> | Promise<Outcome<H>> {
    const fields = fieldsOf(policies, decision)
    if (decision.allowed) return { type: 'continue', decision, headers: fields }
    const headers = [...fields, retryAfter(decision)]
    if (onDenied !== undefined) return { type: 'handle', decision, headers, handler: onDenied }
    return after(contentOf(view, decision), ({ type, text }) => ({
      type: 'deny',
      decision,
      headers: [...headers, ['Content-Type', type]],
      status: statusCode,
      body: text,
    }))
  }

  return { check }
}

const pass: Pass = { type: 'pass' }

const stores = new WeakSet<Store>()

/** Two limiters without a name in one store would count in the same place, each by its own limit. */
function claimUnnamed(store: Store | undefined): void {
  if (store === undefined) return
  if (stores.has(store)) {
    const expected =
      'a name to each limiter of this store: another one has none either, and both would count together'
    throw sluiceError('SLUICE_OPTION_MISSING', 'rateLimit', 'name', expected)
  }
  stores.add(store)
}
