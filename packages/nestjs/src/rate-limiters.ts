import { Inject, Injectable, Optional } from '@nestjs/common'
import { ModulesContainer } from '@nestjs/core'
import type { Limiter } from '@sluice/core'
import { defaultsToken, limitsIn, type Defaults, type Limits } from './limits.js'

/**
 * The limiters of the application, to peek, reset or block by hand. `RateLimitModule` provides them everywhere; without the module, name them among
 * the providers.
 *
 * @example
 * // In a provider or a controller:
 * constructor(private readonly limiters: RateLimiters) {}
 *
 * async unlock(user: string) {
 *   await this.limiters.of('SessionsController.logIn').reset(['user', user], { unblock: true })
 * }
 */
export class RateLimiters {
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

  /**
   * The limiter of this name: 'default' for the module's own, 'Class' and 'Class.method' for decorated ones, or the `name` in their options. Where
   * the guard was placed by hand, its limiter is made by the first request.
   *
   * @throws SluiceError SLUICE_LIMITER_UNKNOWN
   */
  of(name: string = 'default'): Limiter {
    return this.#limits.limiterOf(name)
  }
}
