import {
  applyDecorators,
  createParamDecorator,
  SetMetadata,
  UseGuards,
  type ExecutionContext,
} from '@nestjs/common'
import type { Duration } from '@sluice/core'
import type { RequestDecision } from '@sluice/core/http'
import { isRecord, sluiceError } from '@sluice/core/internal'
import { keptDecision } from './calls/call.js'
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
 * @throws SluiceError SLUICE_OPTIONS_INVALID if the options are neither an object nor a list of objects, or if the list is empty
 */
export function RateLimit<Q = NestRequest, const W extends Duration = Duration, P = unknown>(
  options: RateLimitOptions<Q, W, P> | readonly RateLimitOptions<Q>[],
): ClassDecorator & MethodDecorator {
  const list: readonly unknown[] = Array.isArray(options) ? options : [options]
  // An empty list would be that of `SkipRateLimit`.
  if (list.length === 0 || !list.every(isRecord)) {
    const expected = `an object such as { limit: 5, window: '1m' }, or a list of these. For no limit, use @SkipRateLimit()`
    throw sluiceError('SLUICE_OPTIONS_INVALID', 'RateLimit', options, expected)
  }
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
