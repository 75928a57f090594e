import {
  Inject,
  Injectable,
  Optional,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common'
import { ModulesContainer } from '@nestjs/core'
import type { Action } from '@sluice/core/http'
import { defaultsToken, limitsIn, type Defaults, type LimitsOf } from './limits.js'
import type { OnDenied } from './options.js'
import { nodeResponseOf, PlatformView, requestOf, responseOf } from './request.js'
import { RateLimitException } from './rate-limit-exception.js'

/** Nest shows one context to all of the guards that stand in front of a handler, and a new one for each call. */
const asked = new WeakSet<ExecutionContext>()

/**
 * Stands in front of every route where `RateLimitModule` is global, and wherever `RateLimit` or `UseGuards` puts it. What is no HTTP request
 * (a message, a socket's event, a GraphQL resolver) passes.
 *
 * @throws RateLimitException for each request that is denied
 */
export class RateLimitGuard implements CanActivate {
  readonly #limitsOf: LimitsOf

  // What decorators do, in a form that needs no compiler option.
  static {
    Injectable()(this)
    Inject(ModulesContainer)(this, undefined, 0)
    Optional()(this, undefined, 1)
    Inject(defaultsToken)(this, undefined, 1)
  }

  constructor(modules: ModulesContainer, defaults?: Defaults) {
    this.#limitsOf = limitsIn(modules, defaults)
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http' || asked.has(context)) return true
    asked.add(context)
    const view = new PlatformView(requestOf(context))
    const response = nodeResponseOf(responseOf(context))
    for (const limit of this.#limitsOf(context.getClass(), context.getHandler())) {
      if (!(await carryOut(await limit.check(view, response), context))) return false
    }
    return true
  }
}

function carryOut(action: Action<OnDenied>, context: ExecutionContext): ReturnType<OnDenied> {
  const { decision, headers } = action
  if (decision !== undefined) requestOf(context).rateLimit = decision
  // The last header of a denial is the type of its body: that is written with it, by whoever answers the exception.
  const own = action.type === 'deny' ? headers.slice(0, -1) : headers
  for (const [name, value] of own) responseOf(context).header(name, value)
  switch (action.type) {
    case 'continue':
      return true
    case 'deny':
      // Whoever has begun to answer ends it, too: for any exception, Nest would cut it off there.
      if (nodeResponseOf(responseOf(context)).headersSent) return new Promise(() => {})
      throw new RateLimitException(action)
    case 'handle':
      return action.handler(context, action.decision)
    default:
      return action satisfies never
  }
}
