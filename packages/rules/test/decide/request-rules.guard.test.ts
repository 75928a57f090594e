import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, onTestFinished, test } from 'vitest'
import { fixedWindow, type DecisionEvent } from '@sluice/core'
import { createGuard } from '@sluice/core/http'
import { rejectionOf } from './error-of.js'
import { asks, consumption, rulesOf } from './judged.js'
import { guardOf, viewOf, type Handler, type Visit } from './visit.js'

test('with rules, a request has no key', async () => {
  const rules = rulesOf({ type: 'pass', version: 'v1', tags: [] })
  const key = createGuard<Visit, Handler>({ rules }).keyOf(viewOf({}))
  expect((await rejectionOf(Promise.resolve(key))).code).toBe('SLUICE_KEY_PER_RULE')
})

test('an event of a denial carries the request, without a subscriber to decisions', async () => {
  const events: unknown[] = []
  const listen = (event: unknown) => void events.push((event as DecisionEvent).request)
  subscribe('sluice:denial', listen)
  onTestFinished(() => void unsubscribe('sluice:denial', listen))
  const denying = { minute: { policy: fixedWindow({ limit: 0, window: '1m' }) } }
  const rules = rulesOf(asks({ enforced: [consumption(denying)] }))
  const visits: object[] = []
  for (const options of [{ limit: 0, window: '1m' }, { rules }] as const) {
    const visit = {}
    visits.push(visit)
    expect((await guardOf(options)(visit)).type).toBe('deny')
  }
  expect(events.map((request) => visits.findIndex((visit) => visit === request))).toEqual([0, 1])
})
