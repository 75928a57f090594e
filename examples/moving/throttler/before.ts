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
import { APP_GUARD } from '@nestjs/core'
import { minutes, SkipThrottle, Throttle, ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler'

@Controller()
export class AppController {
  @Get()
  hello(): string {
    return 'Hello.'
  }

  @Post('login')
  @HttpCode(200)
  @Throttle({ default: { limit: 3, ttl: minutes(15) } })
  logIn(@Headers('authorization') password?: string): string {
    if (password !== 'right') throw new UnauthorizedException()
    return 'Hello.'
  }

  @Get('health')
  @SkipThrottle()
  health(): string {
    return 'Well.'
  }
}

@Module({
  imports: [ThrottlerModule.forRoot([{ limit: 10, ttl: minutes(1) }])],
  controllers: [AppController],
  providers: [{ provide: APP_GUARD, useClass: ThrottlerGuard }],
})
export class AppModule {}
// #endregion
