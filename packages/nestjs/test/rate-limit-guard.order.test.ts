import {
  Controller,
  Get,
  Module,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common'
import { APP_GUARD } from '@nestjs/core'
import { describe, expect, test } from 'vitest'
import {
  byIp,
  byUser,
  firstOf,
  RateLimit,
  RateLimitModule,
  type NestRequest,
} from '../src/index.js'
import { decorate, once, platforms, serve, type Ask } from './apps.js'

/** The authentication of an application: it sets the user on the request. */
class AuthGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context
      .switchToHttp()
      .getRequest<{ user?: unknown; headers: { user?: string } }>()
    request.user = request.headers.user
    return true
  }
}

const key = firstOf(
  byUser((request: NestRequest) => {
    const user: unknown = Reflect.get(request, 'user')
    return typeof user === 'string' ? user : null
  }),
  byIp(),
)

function items(above: ClassDecorator[], methods: MethodDecorator[]) {
  class Items {
    list() {
      return []
    }
  }
  return decorate(Items, [Controller(), ...above], { list: [Get(), ...methods] })
}

class AuthModule {}
Module({ providers: [{ provide: APP_GUARD, useClass: AuthGuard }] })(AuthModule)

/** The statuses of the requests of two users: 200 for both if the limit runs after the authentication. */
async function statusesOf(ask: Ask): Promise<number[]> {
  const first = await ask('/', { headers: { user: 'ada' } })
  const second = await ask('/', { headers: { user: 'bob' } })
  return [first.status, second.status]
}

describe.each(platforms)('%s', (_, adapter) => {
  const limits = RateLimitModule.forRoot({ ...once, key })

  test.each([
    ['after', 'before', [AuthModule, limits], [200, 200]],
    ['before', 'after', [limits, AuthModule], [200, 429]],
  ])(
    'the limit of the module runs %s a global guard whose module is imported %s it',
    async (_when, _where, imports, expected) => {
      const ask = await serve(adapter(), { imports, controllers: [items([], [])] })
      expect(await statusesOf(ask)).toEqual(expected)
    },
  )

  const limit = RateLimit({ ...once, key })
  const users = UseGuards(new AuthGuard())

  test.each<[string, ClassDecorator[], MethodDecorator[], number[]]>([
    ['a guard of the class runs before the limit of a method', [users], [limit], [200, 200]],
    ['the guard of the lower decorator of a method runs first', [], [limit, users], [200, 200]],
    ['and so does the limit of the lower decorator', [], [users, limit], [200, 429]],
  ])('%s', async (_what, above, methods, expected) => {
    const ask = await serve(adapter(), { controllers: [items(above, methods)] })
    expect(await statusesOf(ask)).toEqual(expected)
  })
})
