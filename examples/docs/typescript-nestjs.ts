// The user of a request in TypeScript, on NestJS.
import assert from 'node:assert/strict'
// #region nestjs
import { Controller, Get, Module } from '@nestjs/common'
import {
  byIp,
  byUser,
  firstOf,
  RateLimit,
  RateLimitDecision,
  type NestRequest,
  type RequestDecision,
} from '@sluice/nestjs'

declare module '@sluice/nestjs' {
  interface NestRequest {
    user?: { readonly id: string }
  }
}

const key = firstOf(
  byUser((request: NestRequest) => request.user?.id),
  byIp(),
)

@Controller()
export class ItemsController {
  @Get()
  @RateLimit({ limit: 100, window: '1m', key })
  list(@RateLimitDecision() decision: RequestDecision | undefined): { left: number | undefined } {
    return { left: decision?.remaining }
  }
}

@Module({ controllers: [ItemsController] })
export class AppModule {}
// #endregion
import { visitNest } from './check/nest.js'

await visitNest(AppModule, async (ask) => {
  assert.deepEqual(await (await ask('/')).json(), { left: 99 })
})
