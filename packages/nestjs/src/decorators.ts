import {
  applyDecorators,
  createParamDecorator,
  SetMetadata,
  UseGuards,
  type ExecutionContext,
} from '@nestjs/common'
import type { Duration } from '@sluice/core'
import type { RequestDecision } from '@sluice/core/http'
import { keptDecision } from './calls/decisions.js'
import { limitsKey } from './limits.js'
import type { NestRequest, RateLimitOptions } from './options.js'
import { RateLimitGuard } from './rate-limit-guard.js'

/**
 * Limits the rate of requests to a route or a controller, of calls to a GraphQL resolver, or of messages to a gateway or a microservice. It works without
 * the module, whose options it inherits otherwise. With a list of options, all of them must allow a request. A decorator at a method replaces that of its
 * class.
 *
 * @example
 * import { Post } from '@nestjs/common'
 * import { RateLimit } from '@sluice/nestjs'
 *
 * class SessionsController {@Post('login')@RateLimit({ limit: 5, window: '1m', count: 'failures' })
 *   logIn() {
 *     return 'Hello.'
 *   }
 * }
 */
export function RateLimit<Q = NestRequest, const W extends Duration = Duration, P = unknown>(
  options: RateLimitOptions<Q, W, P> | readonly RateLimitOptions<Q>[],
): ClassDecorator & MethodDecorator {
  const list: unknown = Array.isArray(options) ? options : [options]
  return applyDecorators(SetMetadata(limitsKey, list), UseGuards(RateLimitGuard))
}

/** Removes the limits from a method or a class: those of the module, and at a method also those of its class. */
export function SkipRateLimit(): ClassDecorator & MethodDecorator {
  return applyDecorators(SetMetadata(limitsKey, []))
}

/** Passes the decision on the call to a parameter of a method; undefined if the call was not limited. */
export const RateLimitDecision: () => ParameterDecorator = createParamDecorator(
  (_data: unknown, context: ExecutionContext): RequestDecision | undefined =>
    context.getType() === 'http'
      ? context.switchToHttp().getRequest<NestRequest>().rateLimit
      : keptDecision(context),
)
