import { Inject, Module, type DynamicModule } from '@nestjs/common'
import { APP_GUARD, ModulesContainer } from '@nestjs/core'
import {
  checked,
  isBoolean,
  isRecord,
  memberOf,
  readOptions,
  sluiceError,
} from '@sluice/core/internal'
import { moduleRegistered } from './errors.js'
import { defaultsToken } from './limits.js'
import type {
  NestRequest,
  RateLimitModuleAsyncOptions,
  RateLimitModuleOptions,
  RateLimitOptionsFactory,
} from './options.js'
import { RateLimitGuard } from './rate-limit-guard.js'
import { RateLimiters } from './rate-limiters.js'

const registrationToken: unique symbol = Symbol('@sluice/nestjs: registration')

let registrations = 0

/**
 * Limits the rate of requests to an application. `RateLimit` and `SkipRateLimit` change the limit of a route or a controller. Wrong options throw at the
 * start of the application.
 *
 * @example
 * import { Module } from '@nestjs/common'
 * import { RateLimitModule } from '@sluice/nestjs'
 *
 * class AppModule {}
 * Module({ imports: [RateLimitModule.forRoot({ limit: 100, window: '1m' })] })(AppModule)
 */
export class RateLimitModule {
  static {
    Module({})(this)
    Inject(ModulesContainer)(this, undefined, 0)
  }

  // All guards of an application share its limits, so options of a second registration would have no effect.
  constructor(modules: ModulesContainer) {
    const { length } = [...modules.values()].filter(({ providers }) => providers.has(defaultsToken))
    if (length !== 1) throw moduleRegistered(length)
  }

  /** Creates the module from options. */
  static forRoot<Q = NestRequest>(options: RateLimitModuleOptions<Q>): DynamicModule {
    const given: unknown = options
    if (!isRecord(given)) {
      throw wrongOptions('forRoot', given, `an object such as { limit: 100, window: '1m' }`)
    }
    const { global = true, ...defaults } = options
    return RateLimitModule.forRootAsync<Q>({ global, useFactory: () => defaults })
  }

  /** Like `forRoot`, with options from a provider. */
  static forRootAsync<Q = NestRequest>(options: RateLimitModuleAsyncOptions<Q>): DynamicModule {
    const source = ['useFactory', 'useClass', 'useExisting'].find(
      (name) => memberOf(options, name) !== undefined,
    )
    if (source === undefined) throw wrongOptions('forRootAsync', options, expectedAsync)
    const { global = true, imports = [], useClass, useExisting = useClass } = options
    const { inject = useExisting === undefined ? [] : [useExisting] } = options
    readOptions('rateLimit', { global }, { global: checked('true or false', isBoolean) })
    return {
      module: RateLimitModule,
      global: true,
      imports,
      providers: [
        { provide: defaultsToken, inject, useFactory: options.useFactory ?? askFactory },
        // NestJS 10 takes two modules for one if their metadata is the same text, in which all factories are equal.
        { provide: registrationToken, useValue: registrations++ },
        RateLimiters,
        ...(useClass === undefined ? [] : [useClass]),
        ...(global ? [{ provide: APP_GUARD, useClass: RateLimitGuard }] : []),
      ],
      exports: [defaultsToken, RateLimiters],
    }
  }
}

const expectedAsync =
  'an object with useFactory, useClass or useExisting. The limit itself is an option of forRoot'

function wrongOptions(method: string, options: unknown, expected: string): Error {
  return sluiceError('SLUICE_OPTIONS_INVALID', method, options, expected)
}

function askFactory<Q>(
  factory: RateLimitOptionsFactory<Q>,
): ReturnType<typeof factory.createRateLimitOptions> {
  return factory.createRateLimitOptions()
}
