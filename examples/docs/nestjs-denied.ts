// An exception of the application for a denied request, on NestJS.
import assert from 'node:assert/strict'
// #region denied
import { Controller, Get, HttpException } from '@nestjs/common'
import { RateLimit } from '@sluice/nestjs'

@Controller('reports')
export class ReportsController {
  @Get()
  @RateLimit({
    limit: 2,
    window: '1m',
    onDenied(context, { retryAfterMs }) {
      throw new HttpException({ waitMs: retryAfterMs }, 429)
    },
  })
  read(): string {
    return 'The report.'
  }
}
// #endregion
import { Module } from '@nestjs/common'
import { visitNest } from './check/nest.js'

@Module({ controllers: [ReportsController] })
class AppModule {}

await visitNest(AppModule, async (ask) => {
  for (let i = 0; i < 2; i++) assert.equal((await ask('/reports')).status, 200)
  const denied = await ask('/reports')
  assert.equal(denied.status, 429)
  assert.deepEqual(Object.keys(Object(await denied.json())), ['waitMs'])
})
