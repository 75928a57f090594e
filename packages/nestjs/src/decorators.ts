import {
  applyDecorators,
  createParamDecorator,
  SetMetadata,
  UseGuards,
  type ExecutionContext,
} from '@nestjs/common'
import type { Decision, Duration } from '@sluice/core'
import { limitsKey } from './limits.js'
import type { NestRequest, RateLimitOptions, StatedOptions } from './options.js'
import { RateLimitGuard } from './rate-limit-guard.js'

/**
 * Limits the rate of requests to a route or to a controller, with no module needed. Of several options, each has to admit. What is not
 * said here is taken from the module's options; what is said at a method takes the place of what is said at its class.
 *
 * @example `@Post('login') @RateLimit({ limit: 5, window: '1m', count: 'failures' }) logIn() {}`
 */
export function RateLimit<Q = NestRequest, const W extends Duration = Duration, P = unknown>(
  options: StatedOptions<Q, W, P> | readonly RateLimitOptions<Q>[],
): ClassDecorator & MethodDecorator {
  const list: unknown = Array.isArray(options) ? options : [options]
  return applyDecorators(SetMetadata(limitsKey, list), UseGuards(RateLimitGuard))
}

/** Takes a route or a controller out of the limits: those of the module, and at a method those of its class. */
export function SkipRateLimit(): ClassDecorator & MethodDecorator {
  return applyDecorators(SetMetadata(limitsKey, []))
}

/** A parameter of a handler: what was decided about the request, or undefined where it was not limited. */
export const RateLimitDecision: () => ParameterDecorator = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Decision | undefined =>
    context.switchToHttp().getRequest<NestRequest>().rateLimit,
)
