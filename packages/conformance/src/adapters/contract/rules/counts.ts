import { expect, test } from 'vitest'
import type { OpenServer } from '../../test-server.js'
import { until } from '../../until.js'
import { asks, consumption, enforced, perMinute, serveRules, usedOf } from './served-rules.js'

export function describeCountsOfRules(open: OpenServer): void {
  test('count the outcomes that they name, and reset after a success', async () => {
    const policies = { all: perMinute(9), failed: perMinute(9), reset: perMinute(9) }
    const judge = enforced({
      all: { policy: policies.all },
      failed: { policy: policies.failed, counts: 'failures' },
      reset: { policy: policies.reset, counts: 'failures', resetOnSuccess: true },
    })
    const server = await serveRules(open, judge)
    for (const [answer, expected] of [
      ['401', [1, 1, 1]],
      ['500', [2, 2, 2]],
      ['200', [3, 2, 0]],
      ['404', [4, 3, 1]],
    ] as const) {
      expect((await server.get({ 'x-answer': answer })).status).toBe(Number(answer))
      await until('it is settled', async () => {
        const { policies: all } = await server.behind().status('all', { policies })
        const found = ['all', 'failed', 'reset'].map((name) => all[name].used)
        return found.join() === expected.join()
      })
    }
  })

  test('that count after the response deny no parallel requests, and follow the statuses that they name', async () => {
    const policies = { scans: perMinute(2), day: perMinute(9) }
    const scans = { policy: policies.scans, counts: [404], reserves: false }
    const server = await serveRules(
      open,
      () => () =>
        asks({
          enforced: [consumption({ scans }), consumption({ day: { policy: policies.day } })],
        }),
    )
    const burst = [1, 2, 3, 4].map(() => server.send({ 'x-answer': 'hold' }))
    await server.holding(4)
    server.letGo()
    for (const { reply } of burst) expect((await reply).status).toBe(200)
    for (const [answer, used] of [
      ['404', 1],
      ['401', 1],
      ['404', 2],
    ] as const) {
      const { status, headers } = await server.get({ 'x-answer': answer })
      expect([status, headers['ratelimit-policy']]).toEqual([Number(answer), '"day";q=9;w=60'])
      await until('it is counted', async () => (await usedOf(server, policies)) === used)
    }
    const { status, headers } = await server.get()
    expect([status, headers['ratelimit-policy']]).toEqual([429, '"scans";q=2;w=60'])
    const { policies: counted } = await server.behind().status('all', { policies })
    expect([counted['scans'].used, counted['day'].used]).toEqual([2, 7])
  })

  test('that count attempts count what the other rules deny', async () => {
    const policies = { tries: perMinute(4), day: perMinute(1) }
    const tries = { policy: policies.tries, counts: 'failures', countsDenied: true } as const
    const server = await serveRules(
      open,
      () => () =>
        asks({
          enforced: [consumption({ tries }), consumption({ day: { policy: policies.day } })],
        }),
    )
    const asked: [status: number, denier: string | undefined][] = []
    for (const used of [0, 1, 2, 3, 4, 4]) {
      const { status, body } = await server.get()
      asked.push([
        status,
        status === 429 ? JSON.parse(body)['violated-policies'].join() : undefined,
      ])
      await until('it is counted', async () => (await usedOf(server, policies)) === used)
    }
    const byDay = [429, 'day'] as const
    expect(asked).toEqual([[200, undefined], byDay, byDay, byDay, byDay, [429, 'tries']])
  })

  test('an exempt count allows, and the other rules still decide', async () => {
    const policies = { user: perMinute(1), all: perMinute(3) }
    const server = await serveRules(
      open,
      enforced({ user: { policy: policies.user }, all: { policy: policies.all } }),
    )
    await server.behind().exempt('all', '1h', { policies: { user: policies.user } })
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) statuses.push((await server.get()).status)
    expect(statuses).toEqual([200, 200, 200, 429])
    const { policies: status } = await server.behind().status('all', { policies })
    expect([status['user'].used, status['all'].used]).toEqual([0, 3])
    await server.behind().exempt('all', '1h', { policies })
    expect((await server.get()).status).toBe(200)
  })

  test('count in the limiter behind the adapter, which has their name', async () => {
    const policies = { day: perMinute(2) }
    const server = await serveRules(open, enforced({ day: { policy: policies.day } }))
    expect((await server.get()).status).toBe(200)
    const limiter = server.behind()
    expect(limiter.name.startsWith('rules ')).toBe(true)
    expect((await limiter.consume('all', { policies })).remaining).toBe(0)
    expect((await server.get()).status).toBe(429)
    await limiter.block('all', '1m', { policies })
    await limiter.reset('all', { unblock: true, policies })
    expect((await server.get()).status).toBe(200)
  })
}
