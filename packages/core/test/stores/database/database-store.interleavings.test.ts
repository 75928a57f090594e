import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { MapDatabase, type MapRow } from '@sluice/test-kit/map-database'
import {
  createLimiter,
  memoryStore,
  type Limiter,
  type Policies,
  type Store,
} from '../../../src/index.js'
import { databaseStore } from '../../../src/stores/database/index.js'
import { cases, type Requests } from './interleaved-requests.js'

const now = Date.UTC(2030, 0, 1)

const variants = cases.flatMap((one) => [
  { ...one, rememberedRows: 0 },
  { ...one, rememberedRows: 100 },
])

test.each(variants)(
  'two processes answer as one, in any order of their calls: $name, $rememberedRows remembered rows',
  async ({ policies, requests, rememberedRows }) => {
    const expected = await inAllOrders(requests, policies)
    const wrong = new Set<string>()
    let runs = 0
    await explore(async (choose) => {
      runs++
      const result = await interleaved(requests, policies, rememberedRows, choose)
      if (!expected.has(result)) wrong.add(result)
    })
    expect([...wrong]).toEqual([])
    expect(runs).toBeGreaterThan(1)
  },
)

/** The answers of all requests, in each order in which one process can answer them. */
async function inAllOrders(requests: Requests, policies: Policies): Promise<Set<string>> {
  const results = new Set<string>()
  for (const order of ordersOf(requests.map((_, i) => i))) {
    const limiter = limiterOver(memoryStore(), policies)
    const answers: (readonly unknown[])[] = []
    for (const i of order) answers[i] = await requests[i][1](limiter)
    results.add(JSON.stringify(answers))
  }
  return results
}

function ordersOf(items: readonly number[]): number[][] {
  if (items.length === 0) return [[]]
  return items.flatMap((first) =>
    ordersOf(items.filter((item) => item !== first)).map((rest) => [first].concat(rest)),
  )
}

/** Runs something once for each sequence of its choices. */
async function explore(run: (choose: (count: number) => number) => Promise<void>): Promise<void> {
  let path: number[] = []
  for (;;) {
    const counts: number[] = []
    await run((count) => {
      const at = counts.push(count) - 1
      path[at] = Math.min(path[at] ?? 0, count - 1)
      return path[at]
    })
    path = path.slice(0, counts.length)
    while (path.length > 0 && path[path.length - 1] + 1 === counts[path.length - 1]) path.pop()
    if (path.length === 0) return
    path[path.length - 1]++
  }
}

/** The answers of requests of two processes, whose calls of the database take place one by one, in a chosen order. */
async function interleaved(
  requests: Requests,
  policies: Policies,
  rememberedRows: number,
  choose: (count: number) => number,
): Promise<string> {
  const rows = new Map<string, MapRow>()
  const waiting: { readonly name: string; readonly pass: () => void }[] = []
  let isFree = true

  function process(name: string): Limiter {
    const database = new MapDatabase({
      rows,
      clock: () => now,
      async before() {
        if (!isFree) await new Promise<void>((pass) => void waiting.push({ name, pass }))
      },
    })
    return limiterOver(databaseStore(database, { timeout: '1m', rememberedRows }), policies)
  }

  const processes = { A: process('A'), B: process('B') }
  // Both know the time of the database, so they can decide by remembered rows.
  const isPair = 'user' in policies
  const other = isPair ? { user: 'other', route: 'other' } : 'other'
  for (const limiter of Object.values(processes)) await limiter.peek(other)
  isFree = false
  const open = new Map<number, string>(requests.map(([name], i) => [i, name]))
  const answers = requests.map(async ([name, ask], i) => {
    const answer = await ask(processes[name])
    open.delete(i)
    return answer
  })
  const areWaiting = (): boolean =>
    [...open.values()].every((name) => waiting.some((one) => one.name === name))
  while (open.size > 0) {
    // A process that has to load again pauses first.
    do for (let turns = 0; turns < 6; turns++) await turn()
    while (!areWaiting())
    if (waiting.length > 0) waiting.splice(choose(waiting.length), 1)[0].pass()
  }
  return JSON.stringify(await Promise.all(answers))
}

function limiterOver(store: Store, policies: Policies): Limiter {
  return createLimiter({
    name: 'api',
    policies,
    store,
    clock: () => now,
    onStoreError: 'deny',
    denyCache: false,
  })
}
