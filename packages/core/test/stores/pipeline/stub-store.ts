import { setImmediate as turn } from 'node:timers/promises'
import { vi } from 'vitest'
import { createServerClock, processTime } from '../../../src/clock.js'
import { limiterPolicies, type Policies } from '../../../src/limiter/limiter-policies.js'
import { sluiceErrorFrom } from '../../../src/errors.js'
import {
  memoryStore,
  type AsyncStore,
  type SluiceError,
  type SyncStore,
} from '../../../src/index.js'
import type { TargetOf } from '../../../src/stores/redis/compiled-policies.js'
import type { Calls } from '../../../src/stores/redis/calls.js'
import { redisTransport } from '../../../src/stores/redis/index.js'
import { createPipeline } from '../../../src/stores/pipeline/pipeline.js'
import {
  costAt,
  type Answer,
  type DecisionRequest,
  type StoreRequest,
} from '../../../src/stores/store.js'

/** An asynchronous store over memory that records its calls. The test sets its answers. */
export interface StubStore extends AsyncStore {
  /** The calls of `run`, in their order. */
  readonly calls: (readonly StoreRequest[])[]
  readonly memory: SyncStore
  pings: number
  isClosed: boolean
  /** The function that answers the calls from now on. */
  answer: (requests: readonly StoreRequest[]) => Promise<readonly Answer[]>
  isThere: () => Promise<boolean>
  /** Makes the store work again, as at the start. */
  work(): void
  /** Makes each call fail as a whole, like a connection to a closed port. */
  fail(): void
}

export const gone: SluiceError = failure('gone')

export function failure(reason: string): SluiceError {
  return sluiceErrorFrom(new Error(reason), 'SLUICE_STORE_FAILED', 'stub', reason)
}

export function stubStore(): StubStore {
  const memory = memoryStore()
  const stub: StubStore = {
    async: true,
    calls: [],
    memory,
    pings: 0,
    isClosed: false,
    answer: async (requests) => requests.map(memory.run),
    isThere: async () => true,
    work() {
      stub.answer = async (requests) => requests.map(memory.run)
      stub.isThere = async () => true
    },
    fail() {
      stub.answer = async (requests) => requests.map(() => gone)
      stub.isThere = async () => false
    },
    run(requests) {
      stub.calls.push(requests)
      return stub.answer(requests)
    },
    ping() {
      stub.pings++
      return stub.isThere()
    },
    async close() {
      stub.isClosed = true
    },
  }
  return stub
}

/** The way of requests to Redis and back, over another store or other calls in place of Redis. */
export function pipelineOver(
  over: AsyncStore | Calls,
  {
    timeoutMs = 250,
    targetOf = () => onlyTarget,
    isRequestBound = false,
  }: { timeoutMs?: number; targetOf?: TargetOf; isRequestBound?: boolean } = {},
): AsyncStore {
  const calls = 'send' in over ? over : callsOf(over)
  return createPipeline(
    { name: 'stub', timeoutMs, isRequestBound },
    {
      ...redisTransport(calls, targetOf, isRequestBound),
      ...('close' in over && { close: () => over.close() }),
    },
  )
}

const onlyTarget = { compiled: undefined, clock: createServerClock() }

function callsOf(store: AsyncStore): Calls {
  return {
    send: (requests, _target, answered) => void store.run(requests).then(answered),
    ping: () => store.ping(),
  }
}

/** Makes requests about the key 'key', as a limiter of these policies would. */
export function asking(policies: Policies) {
  const bound = limiterPolicies('api', policies)
  return (
    verb: 'consume' | 'peek' | 'penalize' | 'block' | 'exempt',
    { cost = 1, ...change }: Partial<DecisionRequest> = {},
  ): StoreRequest => {
    const keys = bound.map(() => 'key')
    const about = { policies: bound, keys, now: undefined, lease: { id: '', owner: '' }, ...change }
    if (verb === 'block' || verb === 'exempt') return { ...about, verb, forMs: 1000 }
    return verb === 'penalize'
      ? { ...about, verb, units: costAt(cost, 0) }
      : { ...about, verb, cost }
  }
}

/** A promise that the test resolves. */
export function deferred<T>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((settle) => (resolve = settle))
  return { promise, resolve: (value) => resolve(value) }
}

/** Stops the timers, the monotonic clock and the wall clock. Only `pass` advances them. */
export function holdTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
  vi.setSystemTime(1_763_683_200_000)
  // These functions keep references to the original clocks.
  vi.spyOn(processTime, 'monotonic').mockImplementation(() => Date.now())
  vi.spyOn(processTime, 'wall').mockImplementation(() => Date.now())
}

export function releaseTime(): void {
  vi.useRealTimers()
  vi.restoreAllMocks()
}

export async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms)
  // Runs the callbacks that wait for the next turn of the event loop.
  await turn()
}
