// A limit by user behind the guard that finds the user, on NestJS.
import assert from 'node:assert/strict'
// #region users
import {
  Controller,
  Get,
  Injectable,
  Module,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common'
import { APP_GUARD } from '@nestjs/core'
import { byIp, byUser, firstOf, RateLimitModule, type NestRequest } from '@sluice/nestjs'

@Injectable()
class AuthGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest()
    request.user = request.query.user // in a real application: verify a token
    return true
  }
}

@Module({ providers: [{ provide: APP_GUARD, useClass: AuthGuard }] })
class AuthModule {}

@Controller('reports')
class ReportsController {
  @Get()
  read(): string {
    return 'The report.'
  }
}

@Module({
  imports: [
    AuthModule, // first: its guard runs before the limit
    RateLimitModule.forRoot<NestRequest & { user?: string }>({
      limit: 2,
      window: '1m',
      key: firstOf(
        byUser((request) => request.user),
        byIp(),
      ),
    }),
  ],
  controllers: [ReportsController],
})
export class AppModule {}
// #endregion
import { visitNest } from './check/nest.js'

await visitNest(AppModule, async (ask) => {
  for (const user of ['ada', 'bob']) {
    const seen: number[] = []
    for (let i = 0; i < 3; i++) seen.push((await ask(`/reports?user=${user}`)).status)
    assert.deepEqual(seen, [200, 200, 429])
  }
})
