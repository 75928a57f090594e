// #region app
import { Controller, Get, Module, Post } from '@nestjs/common'
import type { CanActivate, ExecutionContext } from '@nestjs/common'
import { APP_GUARD } from '@nestjs/core'
import { minutes, SkipThrottle, Throttle, ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler'
import {
  RateLimit,
  RateLimitGuard,
  RateLimitModule,
  SkipRateLimit,
  slidingLog,
  type Algorithm,
  type NestRequest,
} from '@sluice/nestjs'
import type { Response } from 'express'

const throttle: Algorithm = ({ limit, window }) =>
  slidingLog({ limit, window, block: { for: window, on: 'exceeded' } })

export const compared = { same: 0, stricter: 0, looser: 0 }

class Compare implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp()
    const trial = http.getRequest<NestRequest>().rateLimit
    const response = http.getResponse<Response>()
    if (trial === undefined) return true
    response.once('finish', () => {
      const allowed = response.statusCode !== 429
      if (trial.allowed === allowed) compared.same++
      else if (allowed) compared.stricter++
      else compared.looser++
    })
    return true
  }
}

@Controller()
export class AppController {
  @Get()
  hello(): string {
    return 'Hello.'
  }

  @Post('login')
  @Throttle({ default: { limit: 3, ttl: minutes(15) } })
  @RateLimit({ limit: 3, window: '15m' })
  logIn(): string {
    return 'Hello.'
  }

  @Get('health')
  @SkipThrottle()
  @SkipRateLimit()
  health(): string {
    return 'Well.'
  }
}

@Module({
  imports: [
    ThrottlerModule.forRoot([{ limit: 10, ttl: minutes(1) }]),
    RateLimitModule.forRoot({
      limit: 10,
      window: '1m',
      algorithm: throttle,
      scope: 'route',
      dryRun: true,
      // The providers below set the order of the guards.
      global: false,
    }),
  ],
  controllers: [AppController],
  providers: [
    // Runs first, to see the requests that the old guard denies too. It denies nothing and writes no header.
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_GUARD, useClass: Compare },
    { provide: APP_GUARD, useClass: ThrottlerGuard },
  ],
})
export class AppModule {}
// #endregion
