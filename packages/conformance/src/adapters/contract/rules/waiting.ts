import { concurrency, gcra } from '@sluice/core'
import type { Outcome } from '@sluice/rules'
import { expect, test } from 'vitest'
import type { OpenServer } from '../../test-server.js'
import { until } from '../../until.js'
import { asks, consumption, enforced, perMinute, serveRules, usedOf } from './served-rules.js'

export function describeRulesThatWait(open: OpenServer): void {
  test('delay a request until it is allowed', async () => {
    const one = concurrency({ limit: 1, lease: '10s' })
    const outcome: Outcome = { type: 'delay', maxMs: 10_000 }
    const server = await serveRules(open, enforced({ one: { policy: one, outcome } }))
    const first = server.send({ 'x-answer': 'hold' })
    await server.holding(1)
    const second = server.send()
    await until('the second has arrived', () => server.arrived === 2)
    await until('the second waits', () => server.verbs.length >= 2)
    expect(server.reached.length).toBe(1)
    server.letGo()
    expect([(await first.reply).status, (await second.reply).status]).toEqual([200, 200])
    await until('both are released', async () => (await usedOf(server, { one })) === 0)
  })

  test('consume nothing for a client that disconnects during a delay', async () => {
    const outcome: Outcome = { type: 'delay', maxMs: 600_000 }
    const policies = { day: gcra({ limit: 1, window: '5m' }) }
    const before = { before: perMinute(9) }
    const server = await serveRules(
      open,
      () => () =>
        asks({
          enforced: [
            consumption({
              before: { policy: before.before },
              day: { policy: policies.day, outcome },
            }),
          ],
        }),
    )
    expect((await server.get()).status).toBe(200)
    const leaving = server.send()
    await until('the request waits', () => server.verbs.length >= 3)
    leaving.hangUp()
    await until('nothing of it is counted', async () => (await usedOf(server, before)) === 1)
    await until('it is over', () => server.over === 2)
    expect([await usedOf(server, policies), server.reached.length]).toEqual([1, 1])
    expect(server.errors).toEqual([])
  })
}
