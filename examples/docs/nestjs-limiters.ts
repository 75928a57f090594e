// The limiters of an application of NestJS.
// #region limiters
import { Controller, Delete, Get, Inject, Module, Param, Post, Req } from '@nestjs/common'
import { ipKey, RateLimit, RateLimiters, RateLimitModule, type NestRequest } from '@sluice/nestjs'

@Controller('reports')
export class ReportsController {
  @Get()
  @RateLimit({ limit: 2, window: '1m' })
  read(): string {
    return 'The report.'
  }
}

@Controller('support')
export class SupportController {
  readonly #limiters: RateLimiters

  constructor(@Inject(RateLimiters) limiters: RateLimiters) {
    this.#limiters = limiters
  }

  // For support staff: a reset of the count of a client, which also ends a block.
  @Delete(':address')
  async reset(@Param('address') address: string): Promise<void> {
    await this.#limiters.of('ReportsController.read').reset(ipKey(address), { unblock: true })
  }

  // The same for the client of the request, whatever its key is.
  @Post('solved')
  async solved(@Req() request: NestRequest): Promise<void> {
    const key = await this.#limiters.keyOf(request, 'ReportsController.read')
    await this.#limiters.of('ReportsController.read').reset(key, { unblock: true })
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
    ['POST', '/support/solved'],
    ['GET', '/reports'],
    ['GET', '/reports'],
    ['GET', '/reports'],
  ]) {
    statuses.push((await fetch(url + path, { method })).status)
  }
  assert.deepEqual(statuses, [200, 200, 429, 200, 200, 201, 200, 200, 429])
} finally {
  await app.close()
}
