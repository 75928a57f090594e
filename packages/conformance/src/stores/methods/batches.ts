import {
  createLimiter,
  fixedWindow,
  gcra,
  memoryStore,
  SluiceError,
  type Policies,
  type Store,
  type SyncStore,
} from '@sluice/core'
import { describe, expect, test } from 'vitest'
import { today, type OpenSetup } from '../setup.js'

type Answer = ReturnType<SyncStore['run']>
type Request = Parameters<SyncStore['run']>[0]

export function describeBatches(open: OpenSetup): void {
  describe('several requests in one call', () => {
    test('are decided in their order, each after the units of the earlier ones', async () => {
      const { store, limiter } = await open()
      const { name } = limiter(fixedWindow({ limit: 1, window: 1 }))
      const two = recorder(name, fixedWindow({ limit: 2, window: '1m' }))
      two.consume('a')
      two.consume('a')
      two.peek('a')
      two.consume('b', { cost: 2 })
      two.consume('a')
      two.consume('b')
      two.reset('a')
      two.consume('a', { cost: 2 })
      expect(await allowedIn(store, two.requests)).toEqual([
        true,
        true,
        false,
        true,
        false,
        false,
        true,
        true,
      ])
    })

    test('of several limiters and times are decided by their own limiter and time', async () => {
      const setup = await open()
      const { name } = setup.limiter(fixedWindow({ limit: 1, window: 1 }))
      const window = recorder(`${name} window`, fixedWindow({ limit: 1, window: 10 }))
      const pace = recorder(`${name} pace`, gcra({ limit: 1, window: 10 }))
      for (const recorded of [window, pace]) {
        for (const wait of [0, 9, 10, 19, 20]) {
          recorded.now = today + wait
          recorded.consume('key')
        }
      }
      const mixed = window.requests.flatMap((request, i) => [request, pace.requests[i]])
      expect(await allowedIn(setup.store, mixed)).toEqual(
        [true, false, true, false, true].flatMap((allowed) => [allowed, allowed]),
      )
    })

    test('may be an empty list', async () => {
      const { store } = await open()
      expect(await runOn(store, [])).toEqual([])
    })
  })
}

/** A limiter that only converts calls into store requests. */
function recorder(name: string, policies: Policies) {
  const memory = memoryStore()
  const requests: Request[] = []
  const recorded = { now: today, requests }
  const store: SyncStore = {
    async: false,
    run(request) {
      requests.push(request)
      return memory.run(request)
    },
    ping: () => true,
    close() {},
  }
  return Object.assign(
    recorded,
    createLimiter({ name, policies, store, clock: () => recorded.now }),
  )
}

async function allowedIn(store: Store, requests: readonly Request[]): Promise<unknown[]> {
  const answers = await runOn(store, requests)
  return answers.map((answer) => (answer instanceof SluiceError ? answer : answer.allowed))
}

async function runOn(store: Store, requests: readonly Request[]): Promise<readonly Answer[]> {
  return store.async ? store.run(requests) : requests.map(store.run)
}
