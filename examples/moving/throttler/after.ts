// #region app
import {
  Controller,
  Get,
  Headers,
  HttpCode,
  Module,
  Post,
  UnauthorizedException,
} from '@nestjs/common'
import {
  RateLimit,
  RateLimitModule,
  SkipRateLimit,
  slidingLog,
  type Algorithm,
} from '@sluice/nestjs'

// As the throttler: each hit counts for one window, and a client that exceeds the limit is blocked for one window.
const throttle: Algorithm = ({ limit, window }) =>
  slidingLog({ limit, window, block: { for: window, on: 'exceeded' } })

@Controller()
export class AppController {
  @Get()
  hello(): string {
    return 'Hello.'
  }

  @Post('login')
  @HttpCode(200)
  @RateLimit({ limit: 3, window: '15m' })
  logIn(@Headers('authorization') password?: string): string {
    if (password !== 'right') throw new UnauthorizedException()
    return 'Hello.'
  }

  @Get('health')
  @SkipRateLimit()
  health(): string {
    return 'Well.'
  }
}

@Module({
  imports: [
    RateLimitModule.forRoot({ limit: 10, window: '1m', algorithm: throttle, scope: 'route' }),
  ],
  controllers: [AppController],
})
export class AppModule {}
// #endregion
