import { describe, expect, test, vi } from 'vitest'
import { concurrency, gcra } from '@sluice/core'
import type { Ask } from '../../src/internal.js'
import { asks, consumption, type MadeRule } from './judged.js'
import { handlingOf } from './visit.js'
import { Ending, guardOf, perMinute, respond, type Made } from './guards.js'

describe('after the response', () => {
  const rules: Readonly<Record<string, MadeRule>> = {
    all: { policy: perMinute(9) },
    failures: { policy: perMinute(9), counts: 'failures' },
    successes: { policy: perMinute(9), counts: 'successes' },
  }

  function usedIn(guard: Made, { enforced, tagging, shadow }: Ask): unknown {
    return [...enforced, ...tagging, ...shadow].map(({ policies }) => {
      const status = guard.limiter.status('key', { policies })
      return 'policies' in status
        ? Object.entries(status.policies).map(([name, { used }]) => `${name} ${used}`)
        : 'later'
    })
  }

  test.each([
    [200, ['all 1', 'failures 0', 'successes 1']],
    [404, ['all 1', 'failures 1', 'successes 0']],
  ])('each rule counts the outcomes that it names: %s', async (status, used) => {
    const judgement = asks({ enforced: [consumption(rules)] })
    const guard = guardOf(judgement)
    const answer = new Ending()
    await respond(guard, answer)
    expect(usedIn(guard, judgement)).toEqual([['all 1', 'failures 1', 'successes 1']])
    answer.finish(status)
    await vi.waitFor(() => expect(usedIn(guard, judgement)).toEqual([used]))
  })

  test('tagging and shadow rules count the outcomes that they name, too', async () => {
    const failures = (name: string) =>
      consumption({ [name]: { policy: perMinute(9), counts: 'failures' } })
    const judgement = asks({
      enforced: [failures('a')],
      tagging: [failures('b')],
      shadow: [failures('c')],
    })
    const guard = guardOf(judgement)
    for (const [status, used] of [
      [200, 0],
      [500, 1],
    ] as const) {
      const answer = new Ending()
      await respond(guard, answer)
      answer.finish(status)
      await vi.waitFor(() =>
        expect(usedIn(guard, judgement)).toEqual([[`a ${used}`], [`b ${used}`], [`c ${used}`]]),
      )
    }
  })

  test('a success also resets the count of a tagging rule that denied the request, not that of a shadow rule', async () => {
    const once = (name: string) =>
      consumption({ [name]: { policy: perMinute(1), resetOnSuccess: true, counts: 'failures' } })
    const judgement = asks({ tagging: [once('a')], shadow: [once('b')] })
    const guard = guardOf(judgement)
    for (const [status, used] of [
      [401, [['a 1'], ['b 1']]],
      [401, [['a 1'], ['b 1']]],
      [200, [['a 0'], ['b 1']]],
    ] as const) {
      const answer = new Ending()
      await respond(guard, answer)
      answer.finish(status)
      await vi.waitFor(() => expect(usedIn(guard, judgement)).toEqual(used))
    }
  })

  test('a success resets the counts of the rules with that option', async () => {
    const policy = gcra({ limit: 9, window: '1m' })
    const judgement = asks({
      enforced: [
        consumption({ a: { policy, resetOnSuccess: true, counts: 'failures' }, b: { policy } }),
      ],
    })
    const guard = guardOf(judgement)
    for (const [status, used] of [
      [401, ['a 1', 'b 1']],
      [401, ['a 2', 'b 2']],
      [200, ['a 0', 'b 3']],
    ] as const) {
      const answer = new Ending()
      await respond(guard, answer)
      answer.finish(status)
      await vi.waitFor(() => expect(usedIn(guard, judgement)).toEqual([used]))
    }
  })

  test('a denied request that continues resets the counts, and refunds nothing', async () => {
    const judgement = asks({
      enforced: [
        consumption({
          a: { policy: perMinute(1), resetOnSuccess: true },
          b: { policy: perMinute(9), counts: 'failures' },
        }),
      ],
    })
    const guard = guardOf(judgement, { onDenied: () => 'handled' })
    await respond(guard, new Ending())
    const answer = new Ending()
    const action = handlingOf(await respond(guard, answer))
    action.proceed({ removeHeader: () => {} })
    answer.finish(200)
    await vi.waitFor(() => expect(usedIn(guard, judgement)).toEqual([['a 0', 'b 1']]))
  })

  test('leases are released, also those of tagging and shadow rules', async () => {
    const leased = (name: string) =>
      consumption({ [name]: { policy: concurrency({ limit: 1, lease: '1m' }) } })
    const judgement = asks({
      enforced: [leased('a')],
      tagging: [leased('b')],
      shadow: [leased('c')],
    })
    const guard = guardOf(judgement)
    expect(guard.holds).toBe(true)
    const answer = new Ending()
    await respond(guard, answer)
    expect(usedIn(guard, judgement)).toEqual([['a 1'], ['b 1'], ['c 1']])
    answer.finish(200)
    await vi.waitFor(() => expect(usedIn(guard, judgement)).toEqual([['a 0'], ['b 0'], ['c 0']]))
  })
})
