import { expect, test } from 'vitest'
import type { OpenServer } from '../../test-server.js'
import { until } from '../../until.js'
import { enforced, perMinute, serveRules } from './served-rules.js'

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
