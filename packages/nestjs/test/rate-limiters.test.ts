import { requestRules } from '../../rules/dist/internal.js'
import { Controller, Get, Inject, Injectable, Post } from '@nestjs/common'
import { describe, expect, test } from 'vitest'
import {
  fixedWindow,
  RateLimit,
  RateLimiters,
  RateLimitModule,
  type Limiter,
} from '../src/index.js'
import { codeOf, create, decorate, listen, once, platforms, start, statuses } from './apps.js'

class Sessions {
  logIn() {
    return 'hello'
  }
  list() {
    return []
  }
}
decorate(Sessions, [Controller()], {
  logIn: [Post(), RateLimit({ ...once, key: 'ada' })],
  list: [Get()],
})

/** A service of an application for its support staff. */
class Support {
  readonly #limiters: RateLimiters

  static {
    Injectable()(this)
    Inject(RateLimiters)(this, undefined, 0)
  }

  constructor(limiters: RateLimiters) {
    this.#limiters = limiters
  }

  limiter(name?: string): Limiter {
    return this.#limiters.of(name)
  }
}

describe.each(platforms)('%s', (_, adapter) => {
  test('finds the limiters by name, and that of the module without a name', async () => {
    const app = await create(adapter(), {
      imports: [RateLimitModule.forRoot({ ...once, limit: 2, key: 'all' })],
      controllers: [Sessions],
      providers: [Support],
    })
    const ask = await listen(app)
    const support = app.get(Support)
    const logIn = async () => (await ask('/', { method: 'POST' })).status

    expect(await statuses(ask, '/', 1)).toEqual([200])
    expect(await support.limiter().peek('all')).toMatchObject({ allowed: true, remaining: 1 })
    expect([await logIn(), await logIn()]).toEqual([201, 429])
    const limiter = support.limiter('Sessions.logIn')
    expect(limiter.name).toBe('Sessions.logIn')
    expect((await limiter.status('ada')).policies['default'].used).toBe(1)
    expect(await limiter.reset('ada')).toBe(true)
    expect(await logIn()).toBe(201)
    await limiter.reset('ada')
    await limiter.block('ada', '1m')
    expect(await logIn()).toBe(429)
    await limiter.unblock('ada')
    expect(await logIn()).toBe(201)
  })

  test('refuses a web Request in place of the request of a handler', async () => {
    const app = await create(adapter(), {
      imports: [RateLimitModule.forRoot(once)],
      controllers: [Sessions],
    })
    const asked = new Request('http://localhost/')
    expect(() => app.get(RateLimiters).keyOf(asked as never)).toThrowError(
      expect.objectContaining({ code: 'SLUICE_REQUEST_INVALID' }),
    )
    expect(() => app.get(RateLimiters).keyOf({} as never, 'Sessions')).toThrowError(
      expect.objectContaining({ code: 'SLUICE_LIMITER_UNKNOWN' }),
    )
  })

  test('finds no others', async () => {
    const app = await create(adapter(), {
      imports: [RateLimitModule.forRoot({ ...once, global: false })],
      controllers: [Sessions],
    })
    const limiters = app.get(RateLimiters)
    expect(await codeOf((async () => limiters.of())())).toBe('SLUICE_LIMITER_UNKNOWN')
    expect(() => limiters.of('Sessions.list')).toThrowError('The limiters are "Sessions.logIn"')
  })

  test('finds that of rules by the name of the rules', async () => {
    const policies = { day: fixedWindow({ limit: 1, window: '1d' }) }
    const outcome = { type: 'deny', status: 429 } as const
    const rule = { rule: 'daily', outcome, counts: 'all', resetOnSuccess: false } as const
    const consumption = { keys: 'all', policies, cost: 1, rules: new Map([['day', rule]]) }
    const parts = { applied: ['daily'], enforced: [consumption], tagging: [], shadow: [] } as const
    const asked = { version: 'v1', tags: [], ...parts }
    const rules = requestRules('document', () => ({ type: 'ask', ...asked }) as const)
    const app = await create(adapter(), {
      imports: [RateLimitModule.forRoot({ rules, clock: () => start })],
      controllers: [Sessions],
      providers: [Support],
    })
    const ask = await listen(app)
    const limiter = app.get(Support).limiter('document')
    expect(await statuses(ask, '/', 2)).toEqual([200, 429])
    // The decorator has a limit of its own.
    expect((await ask('/', { method: 'POST' })).status).toBe(201)
    expect(await limiter.reset('all', { policies })).toBe(true)
    expect(await statuses(ask, '/', 2)).toEqual([200, 429])
  })

  test('finds those of decorators without the module', async () => {
    const app = await create(adapter(), { controllers: [Sessions], providers: [RateLimiters] })
    const ask = await listen(app)
    await ask('/', { method: 'POST' })
    expect(await app.get(RateLimiters).of('Sessions.logIn').peek('ada')).toMatchObject({
      allowed: false,
    })
  })
})
