import { createHash } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import type { Policy } from '@sluice/core'
import type { Awaitable } from '@sluice/core/http'
import { isPromise } from '@sluice/core/internal'
import type { OverrideDeclaration, PolicyDeclaration } from '../../document/document.js'
import { rulesError } from '../../errors.js'
import type { RequestContext } from '../../match/context.js'
import { RecentMap } from '../../match/recent-map.js'
import { isPolicyDeclaration } from './policies.js'

/**
 * Returns the limit for one value of a rule's `overrides.of`, such as a customer. Undefined keeps the rule's own limit. An error fails the request.
 */
export type OverridesFunction = (
  rule: string,
  value: string,
) => Awaitable<number | Policy | 'unlimited' | undefined>

/** A limit in place of the rule's own. */
export interface Override {
  /** Its value as it was written. */
  readonly value: string
  /** Equal for equal overrides. */
  readonly key: string
  readonly reason: string
  readonly limit: number | 'unlimited' | PolicyDeclaration
  readonly window: string | undefined
}

const cachedMs = 30_000
const cachedValues = 10_000
const longestMs = 250

interface Cached {
  readonly override: Override | undefined
  readonly until: number
}

const nothing = { override: undefined }

/** Asks the application, and caches its answers for 30 seconds. The request waits 250 ms for an answer at most. */
export function createAsker(
  rule: string,
  overrides: OverridesFunction,
): (context: RequestContext, value: string) => Override | undefined {
  const cache = new RecentMap<string, Cached>(cachedValues)
  const underWay = new Map<string, Promise<{ readonly override: Override | undefined }>>()

  function keep(
    value: string,
    key: string,
    given: Awaited<ReturnType<OverridesFunction>>,
    now: number,
  ): Cached {
    const override = given === undefined || given === null ? undefined : asked(rule, value, given)
    const cached = { override, until: now + cachedMs }
    cache.set(key, cached)
    return cached
  }

  function askFor(
    value: string,
    key: string,
    now: number,
  ): Cached | Promise<{ readonly override: Override | undefined }> {
    const given = overrides(rule, value)
    if (!isPromise(given)) return keep(value, key, given, now)
    const answer = Promise.resolve(given)
      .then((limit) => keep(value, key, limit, now))
      .finally(() => underWay.delete(key))
    underWay.set(key, answer)
    return answer
  }

  return function ask(context, value) {
    const key = cacheKey(value)
    const found = context.once(`override ${rule} ${key}`, () => {
      const cached = cache.get(key)
      if (cached !== undefined && context.now < cached.until) return cached
      const answer = underWay.get(key) ?? askFor(value, key, context.now)
      return isPromise(answer) ? inTime(answer, rule) : answer
    })
    return found.override
  }
}

/** Clients choose some values, and the cache keeps thousands of them. */
function cacheKey(value: string): string {
  return value.length <= 64 ? `=${value}` : createHash('sha256').update(value).digest('base64url')
}

const events = channel('sluice:rules')

async function inTime<T>(answer: PromiseLike<T>, rule: string): Promise<T | typeof nothing> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<typeof nothing>((resolve) => {
    timer = setTimeout(() => {
      events.publish({ state: 'override-late', rule, limitMs: longestMs })
      resolve(nothing)
    }, longestMs)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

function asked(rule: string, value: string, limit: unknown): Override {
  const isLimit = typeof limit === 'number' ? Number.isSafeInteger(limit) && limit >= 0 : true
  if (
    isLimit &&
    (typeof limit === 'number' || limit === 'unlimited' || isPolicyDeclaration(limit))
  ) {
    const reason = `override of the application for "${value.slice(0, 80)}"`
    return overrideFor(value, limit, undefined, reason)
  }
  const problem = `"overrides" returned ${JSON.stringify(limit)}. Return a whole number, a policy, "unlimited", or undefined`
  throw rulesError('SLUICE_RULES_OVERRIDE_INVALID', rule, problem)
}

export function overrideFor(
  value: string,
  limit: OverrideDeclaration,
  window: string | undefined,
  reason = `override "${value}"`,
): Override {
  return { value, key: JSON.stringify([limit, window]), reason, limit, window }
}
