import {
  Inject,
  Injectable,
  Optional,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common'
import { ModulesContainer } from '@nestjs/core'
import { after, writeFields } from '@sluice/core/http'
import { defaultsToken, limitsIn, type Defaults, type Limits } from './limits.js'
import { headersOf, nodeOf, requestOf, responseOf, viewOf } from './request.js'
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
  readonly #limits: Limits

  // What decorators do, in a form that needs no compiler option.
  static {
    Injectable()(this)
    Inject(ModulesContainer)(this, undefined, 0)
    Optional()(this, undefined, 1)
    Inject(defaultsToken)(this, undefined, 1)
  }

  constructor(modules: ModulesContainer, defaults?: Defaults) {
    this.#limits = limitsIn(modules, defaults)
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (context.getType() !== 'http' || asked.has(context)) return true
    asked.add(context)
    const request = requestOf(context)
    const response = responseOf(context)
    const node = nodeOf(response)
    const limit = this.#limits.limitOf(context.getClass(), context.getHandler())
    return after(limit.check(viewOf(request), node), (action) => {
      const { decision, headers } = action
      if (decision !== undefined) request.rateLimit = decision
      // The last header of a denial is the type of its body: that is written with it, by whoever answers the exception.
      const own = action.type === 'deny' ? headers.slice(0, -1) : headers
      const written = headersOf(response)
      writeFields(own, written)
      // Whoever has begun to answer ends it, too: for any exception, Nest would cut it off there.
      if (action.type === 'deny' && node.headersSent) return new Promise<boolean>(() => {})
      switch (action.type) {
        case 'continue':
          return true
        case 'deny':
          throw new RateLimitException(action)
        case 'handle':
          return after(
            action.answer((handler) => handler(context, action.decision)),
            (passes) => {
              if (passes) action.goOn(written)
              return passes
            },
          )
        default:
          return action satisfies never
      }
    })
  }
}
