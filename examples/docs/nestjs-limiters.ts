// The limiters of an application of NestJS.
// #region limiters
import { Controller, Delete, Get, Inject, Module, Param } from '@nestjs/common'
import { RateLimit, RateLimiters, RateLimitModule } from '@sluice/nestjs'

@Controller('reports')
export class ReportsController {
  @Get()
  @RateLimit({ limit: 2, window: '1m' })
  read(): string {
    return 'The report.'
  }
}

// For support staff: a reset of the count of a client.
@Controller('support')
export class SupportController {
  readonly #limiters: RateLimiters

  constructor(@Inject(RateLimiters) limiters: RateLimiters) {
    this.#limiters = limiters
  }

  @Delete(':address')
  async reset(@Param('address') address: string): Promise<void> {
    await this.#limiters.of('ReportsController.read').reset(`ip:${address}`)
  }
}

@Module({
  imports: [RateLimitModule.forRoot({ limit: 100, window: '1m' })],
  controllers: [ReportsController, SupportController],
})
export class AppModule {}
// #endregion

import assert from 'node:assert/strict'
import { NestFactory } from '@nestjs/core'

const app = await NestFactory.create(AppModule, { logger: false })
await app.listen(0, '127.0.0.1')
const url = await app.getUrl()
try {
  const statuses: number[] = []
  for (const [method, path] of [
    ['GET', '/reports'],
    ['GET', '/reports'],
    ['GET', '/reports'],
    ['DELETE', '/support/127.0.0.1'],
    ['GET', '/reports'],
  ]) {
    statuses.push((await fetch(url + path, { method })).status)
  }
  assert.deepEqual(statuses, [200, 200, 429, 200, 200])
} finally {
  await app.close()
}
