import { setImmediate } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  memoryStore,
  type AsyncStore,
  type Limiter,
  type MemoryStore,
  type Policies,
} from '../../../src/index.js'
import { createGuard, type Action, type ResponseHeaders } from '../../../src/http/index.js'
import { sluiceError } from '../../../src/errors.js'
import type { StoreRequest } from '../../../src/stores/store.js'
import type { Answering, Client, Handler } from '../servers.js'
import {
  noHeaders,
  start,
  viewOf,
  type Handler as VisitHandler,
  type Options,
  type Visit,
} from '../visit.js'

export const clock = () => start
const name = 'site'
export const five = fixedWindow({ limit: 5, window: '1m' })
export const slots = concurrency({ limit: 2, lease: '1m' })

/** A store that records its verbs, and that fails if a test asks for it. */
export function watchedStore(fails: (verb: string) => boolean = () => false): {
  readonly store: AsyncStore
  readonly verbs: string[]
  readonly memory: MemoryStore
} {
  const memory = memoryStore()
  const verbs: string[] = []
  const run = async (requests: readonly StoreRequest[]) =>
    requests.map((request) => {
      verbs.push(request.verb)
      return fails(request.verb) ? sluiceError('SLUICE_STORE_CLOSED', 'given') : memory.run(request)
    })
  const store: AsyncStore = { async: true, run, ping: async () => true, close: async () => {} }
  return { store, verbs, memory }
}

const headers: ResponseHeaders = {
  getHeader: () => undefined,
  setHeader: () => {},
  removeHeader: () => {},
}

/** A server with a guard: the path is the user, and `answer` handles requests that continue. */
export function site(
  options: Options,
  answer: (response: Answering, user: string) => void,
): { handler: Handler; actions: Action<unknown>[]; over: (count: number) => Promise<void> } {
  const guard = createGuard<Visit, VisitHandler>({
    clock,
    name,
    key: ({ user }) => user ?? 'all',
    ...options,
  })
  const actions: Action<unknown>[] = []
  let closed = 0
  async function serve(response: Answering, url: string): Promise<void> {
    response.once('close', () => closed++)
    const user = url.slice(1)
    const visit = user === '' ? {} : { user }
    const action = await guard.check(viewOf(visit), response, noHeaders)
    actions.push(action)
    if (action.type === 'continue') return answer(response, user)
    if (
      action.type === 'handle' &&
      (await action.callHandler((act) => act(action.decision))) === 'continue'
    ) {
      action.proceed(headers)
      return answer(response, user)
    }
    response.statusCode = action.type === 'deny' ? action.status : 200
    response.end()
  }
  return {
    handler: (response, url) => void serve(response, url),
    actions,
    async over(count) {
      await vi.waitFor(() => expect(closed).toBe(count), { interval: 5 })
      await setImmediate()
    },
  }
}

export function limiterOf(policies: Policies, store: MemoryStore): Limiter<MemoryStore> {
  return createLimiter({ name, policies, store, clock })
}

export const endings: Record<string, (response: Answering) => unknown> = {
  good: (response) => response.end('hello'),
  moved: (response) => ((response.statusCode = 302), response.end()),
  bad: (response) => ((response.statusCode = 400), response.end()),
  broken: (response) => ((response.statusCode = 500), response.end()),
  cut: (response) => response.write('some'),
}

export async function visit(ask: (url: string) => Client, user: string): Promise<void> {
  const client = ask(`/${user}`)
  if (user !== 'cut') return void (await client.whole())
  await client.begun()
  client.leave()
}
