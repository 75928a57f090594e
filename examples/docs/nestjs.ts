// What the pages say of NestJS.
// #region quick
import { Module } from '@nestjs/common'
import { RateLimitModule } from '@sluice/nestjs'

@Module({
  imports: [RateLimitModule.forRoot({ limit: 100, window: '1m' })],
})
export class AppModule {}
// #endregion
// #region routes
import { Controller, Get, Post } from '@nestjs/common'
import { RateLimit, RateLimitDecision, SkipRateLimit, type Decision } from '@sluice/nestjs'

@Controller('sessions')
export class SessionsController {
  // A limit of its own, in the place of the module's. What it does not say (store, key …) is taken from there.
  @Post()
  @RateLimit({ limit: 5, window: '1m', count: 'failures' })
  logIn(): string {
    return 'Hello.'
  }

  @Get()
  list(@RateLimitDecision() decision: Decision): { left: number } {
    return { left: decision.remaining }
  }

  @Get('health')
  @SkipRateLimit()
  health(): string {
    return 'Well.'
  }
}
// #endregion
// #region denied
import { HttpException } from '@nestjs/common'

@Controller('reports')
export class ReportsController {
  @Get()
  @RateLimit({
    limit: 2,
    window: '1m',
    onDenied(_context, { retryAfterMs }) {
      throw new HttpException({ waitMs: retryAfterMs }, 429)
    },
  })
  read(): string {
    return 'Here it is.'
  }
}
// #endregion
// #region async
import { Injectable, type OnModuleDestroy } from '@nestjs/common'
import { redisStore, type RateLimitOptions } from '@sluice/nestjs'
import { Redis } from 'ioredis'

@Injectable()
export class Settings implements OnModuleDestroy {
  readonly perMinute = 100
  readonly redis = new Redis(process.env['REDIS_URL'] ?? '')

  onModuleDestroy(): void {
    this.redis.disconnect()
  }
}

@Module({ providers: [Settings], exports: [Settings] })
export class SettingsModule {}

export const fromSettings = RateLimitModule.forRootAsync({
  imports: [SettingsModule],
  inject: [Settings],
  useFactory: ({ perMinute, redis }: Settings): RateLimitOptions => ({
    limit: perMinute,
    window: '1m',
    store: redisStore(redis),
  }),
})
// #endregion

import assert from 'node:assert/strict'
import { NestFactory } from '@nestjs/core'

@Module({ imports: [AppModule], controllers: [SessionsController, ReportsController] })
class Whole {}

@Module({ imports: [fromSettings], controllers: [SessionsController] })
class Counting {}

async function visit(
  module: new () => object,
  go: (ask: (path: string, method?: string) => Promise<Response>) => Promise<void>,
): Promise<void> {
  const app = await NestFactory.create(module, { logger: false })
  await app.listen(0, '127.0.0.1')
  const url = await app.getUrl()
  try {
    await go((path, method = 'GET') => fetch(`${url}${path}`, { method }))
  } finally {
    await app.close()
  }
}

await visit(Whole, async (ask) => {
  assert.deepEqual(await (await ask('/sessions')).json(), { left: 99 })
  assert.equal((await ask('/sessions/health')).headers.get('RateLimit'), null)
  // Those that do not fail are given back.
  for (let i = 0; i < 6; i++) assert.equal((await ask('/sessions', 'POST')).status, 201)
  for (let i = 0; i < 2; i++) assert.equal((await ask('/reports')).status, 200)
  const denied = await ask('/reports')
  assert.equal(denied.status, 429)
  assert.deepEqual(Object.keys(Object(await denied.json())), ['waitMs'])
})

if (process.env['REDIS_URL'] !== undefined) {
  await visit(Counting, async (ask) => {
    assert.deepEqual(await (await ask('/sessions')).json(), { left: 99 })
  })
  // In another application, with the same counts.
  await visit(Counting, async (ask) => {
    assert.deepEqual(await (await ask('/sessions')).json(), { left: 98 })
  })
}
