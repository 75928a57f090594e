import type { ModulesContainer } from '@nestjs/core'
import type { Keys, Limiter } from '@sluice/core'
import { injectLimits, limitsIn, type Limits, type Options } from './limits.js'
import type { NestRequest } from './options.js'
import { exceptionOf } from './rate-limit-exception.js'
import { viewOf } from './request.js'

/**
 * The limiters of the application, for direct calls such as `peek`, `reset` or `block`. `RateLimitModule` provides it in every module; without
 * `RateLimitModule`, add it to the providers.
 *
 * @example
 * import { Inject } from '@nestjs/common'
 * import { RateLimiters } from '@sluice/nestjs'
 *
 * class Support {
 *   constructor(@Inject(RateLimiters) private readonly limiters: RateLimiters) {}
 *
 *   async unlock(user: string) {
 *     await this.limiters.of('SessionsController.logIn').reset(['user', user], { unblock: true })
 *   }
 * }
 */
export class RateLimiters {
  readonly #limits: Limits

  static {
    injectLimits(this)
  }

  constructor(modules: ModulesContainer, defaults?: Options) {
    this.#limits = limitsIn(modules, defaults)
  }

  /**
   * Finds a limiter by its name: 'default' for that of the module, 'Class' and 'Class.method' for decorated ones, or the `name` in their options or of
   * their rules.
   *
   * @throws SluiceError SLUICE_LIMITER_UNKNOWN
   */
  of(name: string = 'default'): Limiter {
    return this.#limits.of(name).limiter
  }

  /**
   * The key or the keys under which the limit of this name counts a request, for the methods of its limiter.
   *
   * @example
   * import type { NestRequest, RateLimiters } from '@sluice/nestjs'
   *
   * async function solved(request: NestRequest, limiters: RateLimiters) {
   *   await limiters.of('SessionsController.logIn').reset(await limiters.keyOf(request, 'SessionsController.logIn'))
   * }
   * @throws SluiceError SLUICE_LIMITER_UNKNOWN; with `rules`, in which each rule has its own keys; RequestException for a request without its key
   */
  keyOf(request: NestRequest, name: string = 'default'): Promise<Keys> {
    const keys = this.#limits.of(name).keyOf(viewOf(request))
    return keys.catch((error: unknown) => {
      throw exceptionOf(error)
    })
  }
}
