import { describe, expect, test } from 'vitest'
import { fixedWindow, gcra, type Policy } from '../../../src/index.js'
import { limiterPolicies } from '../../../src/limiter/limiter-policies.js'
import { Place } from '../../../src/stores/ahead/place.js'
import { memoryStore } from '../../../src/stores/memory/index.js'
import { noLease, type DecisionRequest } from '../../../src/stores/store.js'

const takenAt = Date.UTC(2026, 0, 1)
const sentAt = 5000

/** A place that has taken 100 units by the store's clock, for a request that was sent at the monotonic time 5000. */
function placeWith(policy: Policy): { place: Place; request: DecisionRequest } {
  const policies = limiterPolicies('api', policy)
  const asked = { policies, keys: ['key'], now: takenAt, lease: noLease, cost: 100 }
  const request: DecisionRequest = { verb: 'consume', ...asked }
  const answer = memoryStore().run(request)
  if (!('allowed' in answer)) throw answer
  const place = new Place(request, sentAt)
  place.pools.push({ request, states: answer.states, sentAt, left: 100 })
  return { place, request: { ...request, cost: 1 } }
}

describe('the units of a place', () => {
  test.each([
    ['a window', fixedWindow({ limit: 1000, window: 1000, align: 'clock' }), 999, 0],
    ['a window from the first request', fixedWindow({ limit: 1000, window: 1000 }), 999, 0],
  ])('of %s lapse together at its end', (_, policy, last, left) => {
    const { place } = placeWith(policy)
    expect([place.lapse(sentAt + last), place.held]).toEqual([0, 100])
    expect([place.lapse(sentAt + last + 1), place.held]).toEqual([100, left])
    expect(place.pools).toEqual([])
  })

  test('of a rate lapse one by one, each when its time begins', () => {
    const { place } = placeWith(gcra({ limit: 1000, window: '10s' }))
    const heldAfter = [0, 1, 10, 11, 500, 981, 990, 991, 1000].map((ms) => {
      place.lapse(sentAt + ms)
      return place.held
    })
    expect(heldAfter).toEqual([100, 99, 99, 98, 50, 1, 1, 0, 0])
  })

  test('are spent from a pool that is not too old, and the states are those of the units spent', () => {
    const { place, request } = placeWith(fixedWindow({ limit: 1000, window: '1m' }))
    const used = () => {
      const [state] = place.spend(request, sentAt + 10, 1000) ?? []
      return state && [state.row[1], state.now]
    }
    expect([used(), used()]).toEqual([
      [1, takenAt + 10],
      [2, takenAt + 10],
    ])
    expect(place.spend({ ...request, cost: 99 }, sentAt, 1000)).toBeUndefined()
    expect(place.spend(request, sentAt + 1000, 1000)).toBeUndefined()
    expect(place.held).toBe(98)
  })

  test('are taken by the demand, at most a share of what is free, and none for a few requests', () => {
    const { place, request } = placeWith(fixedWindow({ limit: 1000, window: '1m' }))
    const state = place.pools[0].states[0]
    place.note(request, { allowed: true, states: [state] })
    expect(place.free).toBe(900)
    expect(place.chunk(1000, 0.25, sentAt)).toBe(0)
    place.demand(9, sentAt + 10)
    expect(place.chunk(1000, 0.25, sentAt + 10)).toBe(0)
    place.demand(1, sentAt + 10)
    expect(place.chunk(1000, 0.25, sentAt + 10)).toBe(100)
    expect(place.chunk(1000, 0.1, sentAt + 10)).toBe(90)
    place.demand(10, sentAt + 100)
    expect(place.chunk(1000, 0.25, sentAt + 100)).toBe(200)
    place.pausedUntil = sentAt + 120
    expect([119, 120].map((ms) => place.chunk(1000, 0.25, sentAt + ms))).toEqual([0, 200])
    place.note(request, { allowed: true, states: [{ ...state, override: [0, 0, 0, 9e15, 5] }] })
    expect(place.chunk(1000, 0.25, sentAt + 120)).toBe(0)
  })
})
