import {
  Inject,
  Injectable,
  Optional,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common'
import { ModulesContainer } from '@nestjs/core'
import { after, headersOfReply, writeFields } from '@sluice/core/http'
import { defaultsToken, limitsIn, type Defaults, type Limits } from './limits.js'
import { nodeOf, requestOf, responseOf, viewOf } from './request.js'
import { RateLimitException } from './rate-limit-exception.js'

/** Nest passes the same context to all guards of a call, and a new one for each call. A route may have this guard twice. */
const checked = new WeakSet<ExecutionContext>()

/**
 * Limits the routes of the application if `RateLimitModule` is global, and otherwise those with `RateLimit` or `UseGuards`. It allows every call that is
 * not an HTTP request: a message, an event of a socket, a GraphQL resolver.
 *
 * @throws RateLimitException for each request that is denied
 */
export class RateLimitGuard implements CanActivate {
  readonly #limits: Limits

  // Decorators as function calls, because decorator syntax needs a compiler option.
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
    if (context.getType() !== 'http' || checked.has(context)) return true
    checked.add(context)
    const request = requestOf(context)
    const response = responseOf(context)
    const node = nodeOf(response)
    const limit = this.#limits.limitOf(context.getClass(), context.getHandler())
    return after(limit.check(viewOf(request), node, response), (action) => {
      const { decision, headers } = action
      if (decision !== undefined) request.rateLimit = decision
      // The last header of a denial is `Content-Type`, which the exception filter writes together with the body.
      const own = action.type === 'deny' ? headers.slice(0, -1) : headers
      const written = headersOfReply(response)
      writeFields(own, written)
      // If a response was begun already, an exception would make Nest truncate it.
      if (action.type === 'deny' && node.headersSent) return new Promise<boolean>(() => {})
      switch (action.type) {
        case 'continue':
          return true
        case 'deny':
          throw new RateLimitException(action)
        case 'handle':
          return after(
            action.callHandler((handler) => handler(context, action.decision)),
            (continues) => {
              if (continues) action.proceed(written)
              return continues
            },
          )
        default:
          return action satisfies never
      }
    })
  }
}
