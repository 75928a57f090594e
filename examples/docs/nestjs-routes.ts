// Limits of routes of NestJS.
import assert from 'node:assert/strict'
// #region routes
import { Controller, Get, Module, Post } from '@nestjs/common'
import {
  RateLimit,
  RateLimitDecision,
  RateLimitModule,
  SkipRateLimit,
  type Decision,
} from '@sluice/nestjs'

@Controller('sessions')
export class SessionsController {
  // Its own limit in place of that of the module.
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
    return 'Healthy.'
  }
}

@Module({
  imports: [RateLimitModule.forRoot({ limit: 100, window: '1m' })],
  controllers: [SessionsController],
})
export class AppModule {}
// #endregion
import { visitNest } from './check/nest.js'

await visitNest(AppModule, async (ask) => {
  assert.deepEqual(await (await ask('/sessions')).json(), { left: 99 })
  assert.equal((await ask('/sessions/health')).headers.get('RateLimit'), null)
  // Successes are refunded.
  for (let i = 0; i < 6; i++) assert.equal((await ask('/sessions', 'POST')).status, 201)
})
