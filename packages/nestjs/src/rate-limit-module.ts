import { Module, type DynamicModule, type Provider } from '@nestjs/common'
import { APP_GUARD } from '@nestjs/core'
import { defaultsToken } from './limits.js'
import type {
  NestRequest,
  RateLimitFactoryProvider,
  RateLimitModuleAsyncOptions,
  RateLimitModuleOptions,
  RateLimitOptionsFactory,
} from './options.js'
import { RateLimitGuard } from './rate-limit-guard.js'

/**
 * Limits the rate of requests to a NestJS application. What is decorated by `RateLimit` or `SkipRateLimit` says what is different there.
 *
 * @example
 * Module({ imports: [RateLimitModule.forRoot({ limit: 100, window: '1m' })] })
 */
export class RateLimitModule {
  static {
    Module({})(this)
  }

  /**
   * Wrong options are found when the application starts.
   */
  static forRoot<Q = NestRequest>(options: RateLimitModuleOptions<Q>): DynamicModule {
    const { global = true, ...defaults } = options
    // By a factory: some versions of Nest serialize a value to tell modules apart, and a store holds a whole client.
    return moduleWith(global, {
      provide: defaultsToken,
      useFactory: () => ({ global, options: defaults }),
    })
  }

  /** As `forRoot`, with options that a provider makes. */
  static forRootAsync<Q = NestRequest>(options: RateLimitModuleAsyncOptions<Q>): DynamicModule {
    const { global = true, imports = [] } = options
    const { inject = [], useFactory } = factoryOf(options)
    const defaults = {
      provide: defaultsToken,
      inject,
      useFactory: async (...dependencies: unknown[]) => ({
        global,
        options: await useFactory(...dependencies),
      }),
    }
    const made = 'useClass' in options ? [options.useClass] : []
    return { ...moduleWith(global, defaults, ...made), imports }
  }
}

function factoryOf<Q>(options: RateLimitModuleAsyncOptions<Q>): RateLimitFactoryProvider<Q> {
  if ('useFactory' in options) return options
  return {
    inject: ['useClass' in options ? options.useClass : options.useExisting],
    useFactory: (factory: RateLimitOptionsFactory<Q>) => factory.createRateLimitOptions(),
  }
}

function moduleWith(global: boolean, ...providers: Provider[]): DynamicModule {
  const guard = { provide: APP_GUARD, useClass: RateLimitGuard }
  return {
    module: RateLimitModule,
    global: true,
    providers: global ? [...providers, guard] : providers,
    exports: [defaultsToken],
  }
}
