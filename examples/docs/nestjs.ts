// #region quick
import { Module } from '@nestjs/common'
import { RateLimitModule } from '@sluice/nestjs'

@Module({
  imports: [RateLimitModule.forRoot({ limit: 100, window: '1m' })],
})
export class AppModule {}
// #endregion
import assert from 'node:assert/strict'
import { Controller, Get } from '@nestjs/common'
import { visitNest } from './check/nest.js'

@Controller()
class HelloController {
  @Get()
  hello(): string {
    return 'Hello.'
  }
}

@Module({ imports: [AppModule], controllers: [HelloController] })
class Whole {}

await visitNest(Whole, async (ask) => {
  assert.equal((await ask('/')).headers.get('RateLimit-Policy'), '"default";q=100;w=60')
})
