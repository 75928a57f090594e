import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import {
  createLimiter,
  fixedWindow,
  unlimited,
  type DecisionEvent,
  type DecisionMode,
  type MemoryStore,
  type Limiter,
  type Policies,
} from '@sluice/core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { randomFrom } from '@sluice/test-kit/random'
import { Collector } from '../../src/collect/collector.js'
import { startOf, sumOf } from '../../src/collect/steps.js'
import { mergedLimiters } from '../../src/data/merge.js'
import { dataOf, type ProcessData } from '../../src/data/process-data.js'
import { readSnapshot } from '../../src/data/read-snapshot.js'
import { writeSnapshot } from '../../src/data/snapshot.js'

const start = Date.UTC(2026, 0, 1, 12, 34, 50)

/** A process of its own within this one: a collector that is passed the decisions of its limiters only. */
class TestProcess {
  now = start
  readonly #collector = new Collector(() => this.now, 1)
  readonly #limiters = new Map<string, Limiter<MemoryStore>>()

  consume(
    name: string,
    key: string,
    policies: Policies = fixedWindow({ limit: 5, window: '1h' }),
    mode: DecisionMode = 'enforced',
  ): void {
    let limiter = this.#limiters.get(name)
    if (limiter === undefined) {
      limiter = createLimiter({ name, policies, clock: () => this.now })
      this.#limiters.set(name, limiter)
    }
    listening = this.#collector
    limiter.consume(key, { mode })
  }

  data(): ProcessData {
    return dataOf(this.#collector, [], [])
  }

  shared() {
    return readSnapshot(writeSnapshot(this.data()))
  }
}

let listening: Collector | undefined

function listen(): void {
  const pass = (event: unknown): void => listening?.note(event as DecisionEvent)
  subscribe('sluice:decision', pass)
  onTestFinished(() => void unsubscribe('sluice:decision', pass))
}

function merged(own: TestProcess, ...others: readonly TestProcess[]) {
  return mergedLimiters(
    own.data(),
    others.map((one) => one.shared() ?? expect.unreachable()),
    [],
  )
}

test('a snapshot has all that the others show', () => {
  listen()
  const [own, other] = [new TestProcess(), new TestProcess()]
  for (const process of [own, other]) process.now = start - (start % 60_000)
  const policies = { a: fixedWindow({ limit: 2, window: '1m' }), b: unlimited() }
  for (let i = 0; i < 5; i++) other.consume('api', 'ann', policies)
  other.consume('api', '|user|é漢\ud800', policies)
  const [limiter] = merged(own, other)
  const [direct] = other.data().limiters
  const [a, b] = direct.policies
  const none = Array<number>(360).fill(0)
  expect(limiter).toEqual({
    ...direct,
    policies: [
      { ...a, limit: 2, policy: policies.a, wouldDeny: none },
      // JSON has no number for it.
      { ...b, limit: undefined, policy: policies.b, denied: none, wouldDeny: none },
    ],
    groups: [['a', 'b']],
  })
})

test.each([
  ['of one policy', { a: fixedWindow({ limit: 1, window: '1h' }) }],
  [
    'of two policies',
    { a: fixedWindow({ limit: 1, window: '1h' }), b: fixedWindow({ limit: 2, window: '1h' }) },
  ],
])('denials that deny no request are added up apart: %s', (_, policies) => {
  listen()
  const [own, other] = [new TestProcess(), new TestProcess()]
  for (const process of [own, other]) {
    for (const mode of ['dryRun', 'dryRun', 'shadow', 'tagging', 'enforced'] as const) {
      process.consume('api', 'ann', policies, mode)
    }
  }
  const [limiter] = merged(own, other)
  const [a] = limiter.policies
  const all = [limiter.allowed, limiter.denied, limiter.wouldDeny, a.denied, a.wouldDeny]
  expect(all.map(sumOf)).toEqual([4, 2, 6, 2, 6])
})

test('a key that several processes deny is denied by the policies of all of them', () => {
  listen()
  const [own, other] = [new TestProcess(), new TestProcess()]
  const denying = (limits: readonly [number, number]) => ({
    a: fixedWindow({ limit: limits[0], window: '1h' }),
    b: fixedWindow({ limit: limits[1], window: '1h' }),
  })
  for (let i = 0; i < 2; i++) own.consume('api', 'ann', denying([1, 9]))
  for (let i = 0; i < 3; i++) other.consume('api', 'ann', denying([9, 1]))
  const [{ runs }] = merged(own, other)
  expect(runs).toMatchObject([{ key: 'ann', policies: ['a', 'b'], denials: 3 }])
})

test('the counts of other processes are exact to the minute, and as far as the current one has passed', () => {
  listen()
  const [own, other] = [new TestProcess(), new TestProcess()]
  const random = randomFrom(7)
  for (let step = 0; step < 360; step++) {
    for (const process of [own, other]) {
      process.now = start + step * 10_000
      for (let i = 0; i < Math.floor(random() * 7); i++) process.consume('api', `key-${step}`)
    }
  }
  const [limiter] = merged(own, other)
  const [mine, theirs] = [own, other].map((process) => process.data().limiters[0].allowed)
  const sums = mine.map((count, i) => count + theirs[i])
  expect(sumOf(limiter.allowed)).toBe(sumOf(sums))
  const toMinute = (60_000 - (startOf(own.data().at) % 60_000)) / 10_000
  for (let i = toMinute; i + 6 <= 360; i += 6) {
    expect(sumOf(limiter.allowed.slice(i, i + 6))).toBe(sumOf(sums.slice(i, i + 6)))
  }
})

test('a steady rate of another process is steady on the page, whenever it has written', () => {
  listen()
  for (const seconds of [1, 9, 13, 29, 59]) {
    const [own, other] = [new TestProcess(), new TestProcess()]
    other.now = own.now = start - (start % 60_000)
    for (let second = 0; second < 240 + seconds; second++) {
      for (let i = 0; i < 10; i++) other.consume('api', 'ann', unlimited())
      other.now += 1000
    }
    own.now = other.now
    const begun = Math.floor((240 + seconds) / 10)
    expect(merged(own, other)[0].allowed.slice(-begun - 1)).toEqual([
      ...Array<number>(begun).fill(100),
      (seconds % 10) * 10,
    ])
  }
})

test('processes that write at different times are added up by the time of their minutes', () => {
  listen()
  const [own, earlier, later] = [new TestProcess(), new TestProcess(), new TestProcess()]
  for (const process of [own, earlier, later]) process.now = start - (start % 60_000)
  for (const process of [own, earlier, later]) process.consume('api', 'ann')
  own.now += 59_000
  later.now += 61_000
  later.consume('api', 'ann')
  const before = merged(own, earlier, later)[0]
  // The last minute of the later process has not begun here.
  expect(sumOf(before.allowed)).toBe(3)
  expect(sumOf(before.allowed.slice(-6))).toBe(3)
  own.now += 11_000
  const after = merged(own, earlier, later)[0]
  expect(sumOf(after.allowed.slice(-8, -2))).toBe(3)
  expect(sumOf(after.allowed.slice(-2))).toBe(1)
})

describe('Zipf streams', () => {
  const top20 = Array.from({ length: 20 }, (_, i) => `key-${i + 1}`)

  /** The key with the number n occurs 1,000/n times, in a random order. */
  function zipf(process: TestProcess, seed: number, counts: Map<string, number>): void {
    const random = randomFrom(seed)
    const keys: string[] = []
    for (let n = 1; n <= 1000; n++) {
      for (let i = 0; i < Math.round(1000 / n); i++) keys.push(`key-${n}`)
    }
    for (let left = keys.length; left > 0; left--) {
      const at = Math.floor(random() * left)
      const key = keys[at]
      keys[at] = keys[left - 1]
      counts.set(key, (counts.get(key) ?? 0) + 1)
      process.consume('api', key, fixedWindow({ limit: 5, window: '1h' }))
    }
  }

  test.each([1, 8])(
    'of %i processes: the 20 most frequent keys, within the stated errors',
    (size) => {
      listen()
      const counts = new Map<string, number>()
      const processes = Array.from({ length: size }, (_, i) => {
        const process = new TestProcess()
        zipf(process, i + 1, counts)
        return process
      })
      const [own, ...others] = processes
      const [limiter] = merged(own, ...others)
      const { requests, denials } = limiter
      for (const { keys } of [requests, denials]) {
        expect(keys.slice(0, 20).map(({ key }) => key)).toEqual(top20)
      }
      for (const { key, count, error } of requests.keys) {
        const truth = counts.get(key) ?? 0
        expect([key, count >= truth && count - error <= truth]).toEqual([key, true])
      }
      const listed = new Set(requests.keys.map(({ key }) => key))
      for (const [key, count] of counts) {
        if (!listed.has(key)) expect([key, count <= requests.unlisted]).toEqual([key, true])
      }
    },
  )
})

describe('a snapshot has at most about a thousand keys', () => {
  test.each([
    [1, 100, 200],
    [2, 100, 200],
    [10, 25, 50],
    [49, 6, 12],
  ])('of %i limiters', (limiters, mostTop, mostRuns) => {
    listen()
    const process = new TestProcess()
    const policies = fixedWindow({ limit: 1, window: '2h' })
    for (let i = 0; i < limiters; i++) {
      for (let k = 0; k < 204; k++) {
        for (let n = 0; n < 2; n++) process.consume(`limiter-${i}`, `key-${k}`, policies)
      }
    }
    const read = readSnapshot(writeSnapshot(process.data()))
    expect(read?.limiters).toHaveLength(limiters)
    for (const { requests, denials, runs, unlistedRuns } of read?.limiters ?? []) {
      expect([requests.keys.length, denials.keys.length]).toEqual([mostTop, mostTop])
      expect([runs.length, unlistedRuns]).toEqual([mostRuns, 204 - mostRuns])
      // The keys that are left out are part of the error.
      expect([requests.unlisted, denials.unlisted]).toEqual([2, 1])
    }
  })

  test('and 61 counts of each series, or none', () => {
    listen()
    const process = new TestProcess()
    for (let step = 0; step < 400; step++) {
      process.now += 10_000
      process.consume('api', 'ann')
    }
    const { limiters } = JSON.parse(writeSnapshot(process.data())) as {
      readonly limiters: readonly Record<string, readonly number[]>[]
    }
    const [{ allowed, denied, exempt, wouldDeny }] = limiters
    expect([allowed, denied, exempt, wouldDeny].map(({ length }) => length)).toEqual([61, 61, 0, 0])
  })
})

describe('a snapshot of a newer version is read as far as it is known', () => {
  /** A snapshot after some changes. */
  function changed(change: (snapshot: Snapshot) => void) {
    listen()
    const process = new TestProcess()
    for (let i = 0; i < 7; i++) process.consume('api', 'ann')
    process.consume('login', 'bob')
    const snapshot = JSON.parse(writeSnapshot(process.data())) as Snapshot
    change(snapshot)
    return readSnapshot(JSON.stringify({ ...snapshot, v: snapshot.v + 1 })) ?? expect.unreachable()
  }

  interface Snapshot {
    readonly v: number
    readonly limiters: { name: unknown; denied: unknown; runs: object[]; policies: object[] }[]
    readonly stores: unknown[]
    readonly rules: unknown[]
  }

  test('members and entries that are new are left out', () => {
    const { limiters, stores, rules, isNewer } = changed((snapshot) => {
      snapshot.limiters.push({ ...snapshot.limiters[0], name: 'other', denied: { new: 1 } })
      snapshot.limiters[0].runs.push({ ...snapshot.limiters[0].runs[0], source: 'a new source' })
      snapshot.limiters[0].policies.push({ name: { a: 'new form' } })
      Object.assign(snapshot.limiters[0].policies[0], { more: 1 })
      snapshot.stores.push({ name: 'redis', state: 'a new state' })
      snapshot.rules.push({ name: 'a new form' })
      Object.assign(snapshot, { more: 1 })
    })
    expect(isNewer).toBe(true)
    expect(limiters.map(({ name }) => name)).toEqual(['api', 'login'])
    const [{ runs, policies }] = limiters
    expect(runs.map(({ key }) => key)).toEqual(['ann'])
    expect(policies.map(({ name, limit }) => [name, limit])).toEqual([['default', 5]])
    expect([stores, rules]).toEqual([[], []])
  })

  test.each([
    ['of a new kind', { kind: 'somethingNew', limit: 3 }],
    ['with a new option', { kind: 'fixedWindow', limit: 3, window: 1000, newer: true }],
    ['with a value that is none', { kind: 'fixedWindow', limit: 'three', window: 1000 }],
    ['that is a text', 'fixedWindow'],
  ])('a policy %s is known by its name only', (_, policy) => {
    const { limiters } = changed((snapshot) => {
      const { policies } = snapshot.limiters[0]
      policies.push({ ...policies[0], name: 'newer', limit: 3, policy })
    })
    const { name, limit, policy: read } = limiters[0].policies[1]
    expect([name, limit, read]).toEqual(['newer', 3, undefined])
  })
})

test('a key that was reset is shown again only if it is denied again', () => {
  listen()
  const [own, other] = [new TestProcess(), new TestProcess()]
  for (let i = 0; i < 6; i++) other.consume('api', 'ann')
  const cleared = [{ limiter: 'api', key: 'ann', at: start }]
  const before = other.shared() ?? expect.unreachable()
  expect(mergedLimiters(own.data(), [before], cleared)[0].runs).toEqual([])
  expect(mergedLimiters(own.data(), [before], [])[0].runs.length).toBe(1)
  other.now += 1
  other.consume('api', 'ann')
  const after = other.shared() ?? expect.unreachable()
  expect(mergedLimiters(own.data(), [after], cleared)[0].runs.length).toBe(1)
})
