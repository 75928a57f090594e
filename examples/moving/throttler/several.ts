// #region app
import { Controller, Get, Module } from '@nestjs/common'
import { fixedWindow, RateLimit, RateLimitModule, SkipRateLimit } from '@sluice/nestjs'

const policies = {
  short: fixedWindow({ limit: 2, window: '10s' }),
  long: fixedWindow({ limit: 4, window: '1m' }),
}

@SkipRateLimit()
@Controller()
export class AppController {
  // In place of @Throttle({ short: { limit: 3, ttl: seconds(10) } })
  @Get('search')
  @RateLimit({ policies: { ...policies, short: fixedWindow({ limit: 3, window: '10s' }) } })
  search(): string {
    return 'Found.'
  }

  // In place of @SkipThrottle({ short: true })
  @Get('upload')
  @RateLimit({ policies: { long: policies.long } })
  upload(): string {
    return 'Stored.'
  }

  // In place of @SkipThrottle({ short: false, long: false })
  @Get()
  @RateLimit({})
  hello(): string {
    return 'Hello.'
  }

  @Get('health')
  health(): string {
    return 'Well.'
  }
}

@Module({
  imports: [RateLimitModule.forRoot({ policies, scope: 'route' })],
  controllers: [AppController],
})
export class AppModule {}
// #endregion
