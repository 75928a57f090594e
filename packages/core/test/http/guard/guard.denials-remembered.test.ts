import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fixedWindow, type AsyncStore } from '../../../src/index.js'
import { createGuard, type NodeResponse } from '../../../src/http/index.js'
import {
  holdTime,
  pass,
  pipelineOver,
  releaseTime,
  stubStore,
  type StubStore,
} from '../../stores/pipeline/stub-store.js'
import { noHeaders, viewOf, type Options } from '../visit.js'

// A denial is cached for up to a second, even if units are refunded by the outcome of a request.

const three = fixedWindow({ limit: 3, window: '1h' })

let stub: StubStore
let store: AsyncStore
beforeEach(() => {
  holdTime()
  stub = stubStore()
  store = pipelineOver(stub)
})
afterEach(releaseTime)

interface Visitor {
  readonly allowed: boolean
  readonly source: string | undefined
  /** Ends the response with this status, and waits until it is settled. */
  end(status: number): Promise<void>
}

function visits(options: Options): () => Promise<Visitor> {
  const guard = createGuard({ name: 'login', key: 'ada', policies: three, store, ...options })
  return async function visit() {
    const listeners = new Set<() => void>()
    const response = {
      statusCode: 200,
      headersSent: false,
      writableEnded: false,
      once: (event: string, listener: () => void) => event === 'finish' && listeners.add(listener),
      off: () => {},
      end: () => {},
    }
    const { decision } = await guard.check(viewOf({}), response satisfies NodeResponse, noHeaders)
    return {
      allowed: decision?.allowed ?? true,
      source: decision?.source,
      async end(status) {
        response.statusCode = status
        response.writableEnded = true
        for (const listener of listeners) listener()
        await pass(0)
      },
    }
  }
}

async function fail(visit: () => Promise<Visitor>, times: number): Promise<void> {
  for (let i = 0; i < times; i++) await (await visit()).end(401)
}

describe.each<[string, Options]>([
  ['count: failures', { count: 'failures' }],
  ['resetOn: success', { resetOn: 'success' }],
  ['both', { count: 'failures', resetOn: 'success' }],
  ['count by a function', { count: ({ status }) => status === 401 }],
])('%s', (_, options) => {
  test('a denied key costs one call per second, however many requests it sends', async () => {
    const visit = visits(options)
    await fail(visit, 3)
    stub.calls.length = 0
    for (let ms = 0; ms < 3000; ms += 5) {
      expect((await visit()).allowed).toBe(false)
      await pass(5)
    }
    expect(stub.calls.length).toBe(3)
  })

  test('a refund of this process ends the denial immediately', async () => {
    const visit = visits(options)
    await fail(visit, 2)
    const last = await visit()
    const denied = [await visit(), await visit()]
    expect(denied.map(({ allowed, source }) => [allowed, source])).toEqual([
      [false, 'store'],
      [false, 'local'],
    ])
    await last.end(200)
    const next = await visit()
    expect([next.allowed, next.source]).toEqual([true, 'store'])
  })

  test('a refund of another process is visible a second later', async () => {
    const visit = visits(options)
    const elsewhere = visits({ ...options, store: pipelineOver(stub) })
    await fail(visit, 2)
    const last = await elsewhere()
    expect((await visit()).allowed).toBe(false)
    await last.end(200)
    await pass(999)
    expect((await visit()).source).toBe('local')
    await pass(1)
    expect((await visit()).allowed).toBe(true)
  })
})
