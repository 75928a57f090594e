// Options from a provider, on NestJS.
import assert from 'node:assert/strict'
// #region async
import { Injectable, Module, type OnModuleDestroy } from '@nestjs/common'
import { RateLimitModule, redisStore, type RateLimitOptions } from '@sluice/nestjs'
import { Redis } from 'ioredis'

@Injectable()
export class Settings implements OnModuleDestroy {
  readonly perMinute = 100
  readonly redis = new Redis(process.env['REDIS_URL'] ?? 'redis://localhost:6379')

  constructor() {
    this.redis.on('error', (error) => console.error(`Redis: ${error.message}`))
  }

  onModuleDestroy(): void {
    this.redis.disconnect()
  }
}

@Module({ providers: [Settings], exports: [Settings] })
export class SettingsModule {}

@Module({
  imports: [
    RateLimitModule.forRootAsync({
      imports: [SettingsModule],
      inject: [Settings],
      useFactory: ({ perMinute, redis }: Settings): RateLimitOptions => ({
        limit: perMinute,
        window: '1m',
        store: redisStore(redis),
      }),
    }),
  ],
})
export class AppModule {}
// #endregion
import { Controller, Get } from '@nestjs/common'
import { visitNest } from './check/nest.js'

@Controller()
class HelloController {
  @Get()
  hello(): string {
    return 'Hello.'
  }
}

@Module({ imports: [AppModule], controllers: [HelloController] })
class Whole {}

if (process.env['REDIS_URL'] !== undefined) {
  // The second application finds the count of the first one.
  for (const left of [99, 98]) {
    await visitNest(Whole, async (ask) => {
      assert.match((await ask('/')).headers.get('RateLimit') ?? '', new RegExp(`;r=${left};`))
    })
  }
}
