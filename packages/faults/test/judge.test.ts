import type { Source } from '@sluice/core'
import { expect, test } from 'vitest'
import { keys, limits, type Route } from '../src/app/limits.js'
import type { Answered } from '../src/load.js'
import { stalledMs } from '../src/moments.js'
import type { Phase, Recorded } from '../src/record.js'
import { tableOf } from '../src/table.js'
import { judge } from '../src/judge.js'

const [ann, bob] = keys

function answer(start: number, source: Source, given: Partial<Answered> = {}): Answered {
  const route: Route = given.route ?? 'open'
  const isDenied = source === 'closed' || source === 'local'
  return {
    route,
    key: ann,
    start,
    end: start + 10,
    status: isDenied ? 429 : 200,
    source,
    algorithm: 'fixedWindow',
    problem: undefined,
    ...given,
  }
}

function phase(name: string, from: number, ...sources: readonly Source[]): Phase {
  const isReturn = name === 'back'
  return { name, from, sources: () => sources, settlesMs: isReturn ? 1000 : 0, isReturn }
}

const phases = [
  phase('before', 0, 'store'),
  phase('unavailable', 1000, 'fallback'),
  phase('back', 2000, 'store'),
]
const answers = [
  answer(100, 'store'),
  answer(1100, 'fallback'),
  answer(2100, 'fallback'),
  answer(2200, 'store'),
]

function recorded(more: readonly Answered[] = [], given: Partial<Recorded> = {}): Recorded {
  return {
    phases,
    answers: [...answers, ...more],
    busyMs: 0,
    appStalls: [],
    loadStalls: [],
    counted: undefined,
    emptied: [],
    broken: undefined,
    errors: [],
    ...given,
  }
}

function complaints(more: readonly Answered[], given?: Partial<Recorded>): readonly string[] {
  return judge(recorded(more, given)).complaints
}

test('a recording that keeps all promises has no complaints', () => {
  const both = [
    ['fallback', 1],
    ['store', 1],
  ] as const
  expect(judge(recorded())).toEqual({
    requests: 4,
    sources: [
      { phase: 'before', counts: new Map([['store', 1]]) },
      { phase: 'unavailable', counts: new Map([['fallback', 1]]) },
      { phase: 'back', counts: new Map(both) },
    ],
    worstMs: 10,
    worstOwnMs: 10,
    backMs: 110,
    lateUnits: undefined,
    complaints: [],
  })
})

test('a client may wait for 300 ms and not longer', () => {
  expect(complaints([answer(1200, 'fallback', { end: 1500 })])).toEqual([])
  expect(complaints([answer(1200, 'fallback', { end: 1501 })])).toEqual([
    'a client waited 301 ms, without the time of other processes',
  ])
  expect(complaints([answer(1200, 'fallback', { end: 1600 })], { busyMs: 100 })).toEqual([])
})

test('the time of other processes does not count as a wait, and overlapping stalls count once', () => {
  const appStalls = [{ from: 1300, to: 1400, machineMs: 100 }]
  const loadStalls = [{ from: 1350, to: 1450, machineMs: 50 }]
  const long = [answer(1200, 'fallback', { end: 1625 })]
  expect(judge(recorded(long, { appStalls, loadStalls }))).toMatchObject({
    worstMs: 425,
    worstOwnMs: 300,
    complaints: [],
  })
  expect(stalledMs(appStalls, 1350, 2000)).toBe(50)
  expect(stalledMs(appStalls, 1400, 2000)).toBe(0)
})

test('each phase has its sources, and a request that overlaps two phases may have those of either', () => {
  expect(complaints([answer(500, 'fallback')])).toEqual(['before: open decided by fallback'])
  expect(complaints([answer(1500, 'store'), answer(1600, 'store')])).toEqual([
    'unavailable: open decided by store (2 times)',
  ])
  const across = { end: 1005 }
  expect(complaints([answer(995, 'fallback', across), answer(995, 'store', across)])).toEqual([])
})

test('Redis decides again within a second after its return', () => {
  expect(complaints([answer(2999, 'fallback')])).toEqual([])
  expect(judge(recorded([answer(2999, 'fallback')])).backMs).toBe(1009)
  expect(complaints([answer(3000, 'fallback')])).toEqual(['back: open decided by fallback'])
})

test('the deny cache may deny only keys over the tight limit', () => {
  expect(complaints([answer(1500, 'local', { route: 'tight' })])).toEqual([])
  expect(complaints([answer(1500, 'local', { route: 'tight', status: 200 })])).toEqual([
    'unavailable: tight decided by local',
  ])
  expect(complaints([answer(1500, 'local')])).toEqual(['unavailable: open decided by local'])
})

test('failing open allows, failing closed denies, and no source denies below the limit', () => {
  const told = { phases: [phase('unavailable', 0, 'open', 'closed', 'store', 'fallback')] }
  const denied = answer(500, 'open', { route: 'tight', status: 429 })
  expect(complaints([denied], told)).toEqual(['unavailable: tight denied by open'])
  expect(complaints([answer(500, 'closed', { status: 200 })], told)).toEqual([
    'unavailable: open allowed by closed',
  ])
  expect(complaints([answer(500, 'store', { status: 429 })], told)).toEqual([
    'unavailable: open denied by store',
  ])
})

test('the store and the fallback each allow the tight limit once', () => {
  const asked = (
    source: Source,
    from: number,
    allowed: number,
    denied: number,
    algorithm: Answered['algorithm'] = 'fixedWindow',
  ) =>
    Array.from({ length: allowed + denied }, (_, i) =>
      answer(from + i, source, { route: 'tight', status: i < allowed ? 200 : 429, algorithm }),
    )
  const { tight } = limits
  const right = [...asked('store', 100, tight, 2), ...asked('fallback', 1100, tight, 2)]
  expect(complaints(right)).toEqual([])
  expect(complaints(asked('store', 100, tight + 1, 0))).toEqual([
    `the store allowed 6 of 5 at the tight limit of ${ann}`,
  ])
  expect(complaints(asked('fallback', 1100, tight - 1, 1))).toEqual([
    `the fallback allowed 4 of 5 at the tight limit of ${ann}`,
  ])
  // The limit is allowed once more after the store was emptied, only for the keys that it lost.
  const ofNewVersion = asked('store', 100, tight, 2, 'slidingWindow')
  expect(complaints([...right, ...ofNewVersion])).toEqual([])
  expect(complaints([...right, ...ofNewVersion, ofNewVersion[0]])).toEqual([
    `the store allowed 6 of 5 at the tight limit of ${ann}`,
  ])

  const twice = [...asked('store', 100, tight, 0), ...asked('store', 2300, tight, 0)]
  const lost = (key: string) => ({ emptied: [{ at: 2000, until: 2000, keys: [key] }] })
  expect(complaints(twice, lost(ann))).toEqual([])
  expect(complaints(twice, lost(bob))).toEqual([
    `the store allowed 10 of 5 at the tight limit of ${ann}`,
  ])
  // Requests in flight during the loss may belong to either period.
  const meanwhile = asked('store', 2100, tight, 0)
  const between = { emptied: [{ at: 2100, until: 2200, keys }] }
  expect(complaints([...twice, ...meanwhile], between)).toEqual([])
})

test('Redis has counted exactly the units that clients received replies about', () => {
  const counted = (units: number, unknown = 0, forgettable = 0) => ({
    counted: { units: new Map([[ann, units]]), unknown, forgettable },
  })
  expect(judge(recorded([], counted(2)))).toMatchObject({ lateUnits: 0, complaints: [] })
  expect(complaints([], counted(3))).toEqual([
    '1 units were counted that no client received a reply about',
  ])
  expect(complaints([], counted(3, 1))).toEqual([])
  expect(complaints([], counted(1, 1))).toEqual(['1 units were lost'])
  expect(complaints([], counted(1, 0, 1))).toEqual([])
  const emptied = [{ at: 2000, until: 2000, keys }]
  expect(judge(recorded([], { ...counted(1), emptied }))).toMatchObject({ lateUnits: 0 })
})

test('an ended application, an error, a phase without requests and the errors of the store are complaints', () => {
  expect(complaints([], { broken: 'it ended', errors: ['Redis was unavailable'] })).toEqual([
    'it ended',
    'Redis was unavailable',
  ])
  const problem = 'connect ECONNREFUSED'
  expect(complaints([answer(500, 'store', { status: 0, source: undefined, problem })])).toEqual([
    `before: ${problem}`,
  ])
  expect(judge(recorded([], { answers: answers.slice(1) })).complaints).toEqual([
    'before: no requests',
  ])
})

test('the table has a row for each fault, and the complaints below it', () => {
  const figures = judge(recorded([answer(1500, 'store')]))
  const lines = tableOf([{ fault: 'paused', client: 'ioredis', figures }]).split('\n')
  expect(lines[2].split('|').map((cell) => cell.trim())).toEqual([
    '',
    'paused',
    'ioredis',
    '5',
    'before: store 1; unavailable: fallback 1, store 1; back: fallback 1, store 1',
    '10',
    '10',
    '110',
    '–',
    'FAILS',
    '',
  ])
  expect(lines.slice(3)).toEqual(['', 'paused, ioredis: unavailable: open decided by store'])
})
