import { AsyncLocalStorage } from 'node:async_hooks'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { longestTimerMs, pause, Sleeper } from '../../src/limiter/pause.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** The result of a promise so far. */
function followed<T>(promise: Promise<T>) {
  const seen: { result?: T; error?: unknown } = {}
  promise.then(
    (result) => (seen.result = result),
    (error: unknown) => (seen.error = error),
  )
  return seen
}

test('a wait is over after its time', async () => {
  const seen = followed(new Sleeper().sleep(50, undefined))
  await vi.advanceTimersByTimeAsync(49)
  expect(seen).toEqual({})
  await vi.advanceTimersByTimeAsync(1)
  expect(seen).toEqual({ result: true })
})

test('a wait of 0 sets no timer', async () => {
  expect(await new Sleeper().sleep(0, undefined)).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

test('a wait that is longer than a timer takes several', async () => {
  const seen = followed(new Sleeper().sleep(2 * longestTimerMs + 5, undefined))
  for (const lengthMs of [longestTimerMs, longestTimerMs, 4]) {
    await vi.advanceTimersByTimeAsync(lengthMs)
    expect(seen).toEqual({})
  }
  await vi.advanceTimersByTimeAsync(1)
  expect(seen).toEqual({ result: true })
})

test('a wait is over when it is woken, and leaves no timer', async () => {
  const sleeper = new Sleeper()
  const seen = followed(sleeper.sleep(Infinity, new AbortController().signal))
  await vi.advanceTimersByTimeAsync(1000)
  sleeper.wake()
  await vi.advanceTimersByTimeAsync(0)
  expect([seen, vi.getTimerCount()]).toEqual([{ result: false }, 0])
})

test('the next wait is over at once if it is woken before, and only that one', async () => {
  const sleeper = new Sleeper()
  sleeper.wake()
  expect(await sleeper.sleep(50, undefined)).toBe(false)
  const seen = followed(sleeper.sleep(50, undefined))
  await vi.advanceTimersByTimeAsync(50)
  expect(seen).toEqual({ result: true })
})

test('an aborted signal ends all its waits, with its reason, by one listener', async () => {
  const controller = new AbortController()
  const listen = vi.spyOn(controller.signal, 'addEventListener')
  const waits = [1, 2, 3].map((seconds) => followed(pause(1000 * seconds, controller.signal)))
  await vi.advanceTimersByTimeAsync(1000)
  controller.abort('gone')
  await vi.advanceTimersByTimeAsync(0)
  expect(waits).toEqual([{ result: undefined }, { error: 'gone' }, { error: 'gone' }])
  expect([listen.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0])
  await expect(pause(0, controller.signal)).rejects.toBe('gone')
})

// On Cloudflare Workers, each request numbers its timers from 1.
test('the timer of a wait is cleared by the request that waits, and not by one that wakes it', async () => {
  const request = new AsyncLocalStorage<string>()
  const clearers: unknown[] = []
  const clear = globalThis.clearTimeout
  vi.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
    clearers.push(request.getStore())
    clear(timer)
  })
  const sleeper = new Sleeper()
  const slept = request.run('waits', async () => sleeper.sleep(50, undefined))
  request.run('wakes', () => sleeper.wake())
  expect(await slept).toBe(false)
  expect(clearers).toEqual(['waits'])
})
