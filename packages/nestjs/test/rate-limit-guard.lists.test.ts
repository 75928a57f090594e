import { Controller, Get } from '@nestjs/common'
import { describe, expect, test } from 'vitest'
import {
  fixedWindow,
  memoryStore,
  RateLimit,
  RateLimitModule,
  type RateLimitOptions,
} from '../src/index.js'
import { codeOf, create, decorate, platforms, serve, start, statuses } from './apps.js'

/** A controller with the route "/", or with two routes. */
function controllerOf(above: ClassDecorator[], one: MethodDecorator[] = []) {
  class Search {
    find() {
      return 'found'
    }
    list() {
      return 'listed'
    }
  }
  return decorate(Search, [Controller(), ...above], { find: [Get(), ...one], list: [Get('list')] })
}

const fixed = { algorithm: fixedWindow, key: 'all', headers: 'draft' } as const

describe.each(platforms)('%s', (_, adapter) => {
  test('limits of a list are checked in order, and an earlier one is not refunded', async () => {
    let now = start
    const clock = () => now
    const hour = { ...fixed, clock, limit: 3, window: '1h' } as const
    const second = { ...fixed, clock, limit: 1, window: '1s' } as const
    const ask = await serve(adapter(), {
      controllers: [controllerOf([], [RateLimit([hour, second])])],
    })
    expect(await statuses(ask, '/', 2)).toEqual([200, 429])
    now += 1000
    const { status, headers } = await ask('/')
    expect([status, headers.get('ratelimit-policy'), headers.get('ratelimit')]).toEqual([
      200,
      '"Search.find";q=3;w=3600, "Search.find #2";q=1;w=1',
      '"Search.find";r=0;t=3599, "Search.find #2";r=0;t=1',
    ])
  })

  test('the same for a list of a class, whose routes count together', async () => {
    const clock = () => start
    const list: RateLimitOptions[] = [{ limit: 3 }, { limit: 2, window: '1s' }]
    const ask = await serve(adapter(), {
      imports: [
        RateLimitModule.forRoot({ ...fixed, clock, limit: 9, window: '1h', global: false }),
      ],
      controllers: [controllerOf([RateLimit(list)])],
    })
    expect(await statuses(ask, '/', 1)).toEqual([200])
    expect(await statuses(ask, '/list', 2)).toEqual([200, 429])
    expect((await ask('/')).headers.get('ratelimit')).toBe('"Search";r=0;t=3600')
  })

  test('limits with different keys are checked in order, and an earlier one is not refunded', async () => {
    const clock = () => start
    const store = memoryStore()
    const each = { ...fixed, clock, limit: 3, window: '1h' } as const
    const list = [
      each,
      { ...each, limit: 1, key: ['other', 'key'] },
      { ...each, limit: 2, window: '1s' } as const,
    ]
    const ask = await serve(adapter(), {
      imports: [RateLimitModule.forRoot({ ...each, global: false, store })],
      controllers: [controllerOf([], [RateLimit(list)])],
    })
    expect(await statuses(ask, '/', 3)).toEqual([200, 429, 429])
    const names = ['Search.find', 'Search.find #2', 'Search.find #3']
    for (const name of names) {
      const other = { ...each, limit: 7, store, name }
      expect(
        await codeOf(create(adapter(), { controllers: [controllerOf([], [RateLimit(other)])] })),
      ).toBe('SLUICE_NAME_TAKEN')
    }
  })
})
