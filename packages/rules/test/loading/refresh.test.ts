import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRefresher, type Reception } from '../../src/loading/refresh.js'
import { pollSource } from '../../src/loading/sources/poll-source.js'
import type { RuleSource } from '../../src/loading/sources/rule-source.js'
import { memorySource } from './memory-source.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

interface Received extends Reception {
  readonly texts: (string | undefined)[]
  readonly errors: string[]
}

function reception(): Received {
  let version: string | undefined
  const texts: (string | undefined)[] = []
  const errors: string[] = []
  return {
    texts,
    errors,
    known: () => version,
    async receive(content) {
      version = content?.version ?? version
      texts.push(content?.text)
    },
    fail: ({ message }) => errors.push(message),
  }
}

/** A source whose reads end when a test ends them. */
function slowSource(options: Partial<RuleSource> = {}): RuleSource & {
  ends: ((error?: Error) => void)[]
  signals: AbortSignal[]
  running: number
  most: number
} {
  return {
    location: 'slow',
    every: 1000,
    ends: [],
    signals: [],
    running: 0,
    most: 0,
    async read(_since, signal) {
      this.most = Math.max(this.most, ++this.running)
      this.signals.push(signal)
      try {
        await new Promise<void>((resolve, reject) => {
          this.ends.push((error) => (error === undefined ? resolve() : reject(error)))
        })
      } finally {
        this.running--
      }
      return undefined
    },
    ...options,
  }
}

/** Expects that the only read so far is still under way, and that the next one begins this long after its end. */
async function expectNextRead(source: ReturnType<typeof slowSource>, afterMs: number) {
  expect([source.ends.length, source.most]).toEqual([1, 1])
  source.ends[0]()
  await vi.advanceTimersByTimeAsync(afterMs)
  expect([source.ends.length, source.most]).toEqual([2, 1])
}

test('reads at the interval, and delivers changes', async () => {
  const source = memorySource('a')
  const received = reception()
  const refresher = createRefresher(source, received)
  refresher.start()
  await vi.advanceTimersByTimeAsync(2000)
  source.text = 'b'
  await vi.advanceTimersByTimeAsync(2000)
  expect(received.texts).toEqual(['a', undefined, 'b', undefined])
  refresher.close()
})

test('reads a source that never changes once', async () => {
  const refresher = createRefresher(memorySource('a', { every: 0 }), reception())
  refresher.start()
  expect(vi.getTimerCount()).toBe(0)
})

test('begins a read only after the one before has ended', async () => {
  const source = slowSource({
    watch: (changed) => ((source.changed = changed), () => {}),
  }) as ReturnType<typeof slowSource> & { changed: () => void }
  const refresher = createRefresher(source, reception())
  refresher.start()
  await vi.advanceTimersByTimeAsync(5000)
  source.changed()
  void refresher.refresh()
  await vi.advanceTimersByTimeAsync(5000)
  await expectNextRead(source, 0)
  refresher.close()
})

test('reads once for many changes that are reported while it reads', async () => {
  let changed = (): void => {}
  const source = memorySource('a', {
    watch(report) {
      changed = report
      return () => {}
    },
  })
  const refresher = createRefresher(source, reception())
  refresher.start()
  for (let i = 0; i < 100; i++) changed()
  await vi.advanceTimersByTimeAsync(0)
  expect(source.reads).toBe(1)
  refresher.close()
})

test('stops watching when it is closed', async () => {
  const stop = vi.fn<() => void>()
  const refresher = createRefresher(memorySource('a', { watch: () => stop }), reception())
  refresher.start()
  refresher.close()
  expect([stop.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0])
})

test('gives up a read after 30 seconds, aborts it, and reads again once it has ended', async () => {
  const source = slowSource()
  const received = reception()
  const refresher = createRefresher(source, received)
  refresher.start()
  await vi.advanceTimersByTimeAsync(31_000)
  expect(received.errors).toEqual([
    'the rules cannot be read from slow: it took longer than 30000 ms',
  ])
  expect(source.signals[0].aborted).toBe(true)
  await expect(refresher.refresh()).rejects.toThrow('an earlier read has not ended yet')
  await vi.advanceTimersByTimeAsync(60_000)
  await expectNextRead(source, 1000)
  refresher.close()
})

test('aborts the current read when it is closed, and reports nothing', async () => {
  const source = slowSource()
  const received = reception()
  const refresher = createRefresher(source, received)
  const refreshed = refresher.refresh()
  const rejected = expect(refreshed).rejects.toThrow('the rules were closed')
  await vi.advanceTimersByTimeAsync(0)
  refresher.close()
  await rejected
  expect([source.signals[0].aborted, received.errors]).toEqual([true, []])
})

test('fails a refresh if the source throws', async () => {
  const source = memorySource('a', {
    read() {
      throw new Error('thrown')
    },
  })
  const received = reception()
  await expect(createRefresher(source, received).refresh()).rejects.toThrow('thrown')
  expect(received.errors).toEqual(['the rules cannot be read from memory: thrown'])
})

test('doubles the pause of a poll after each failure, up to five minutes, and ends that with a success', async () => {
  let now = 0
  const at: number[] = []
  let isDown = true
  const source = pollSource(
    async () => {
      at.push(now)
      if (isDown) throw new Error('down')
      return 'a'
    },
    { every: '30s' },
  )
  const received = reception()
  const refresher = createRefresher(source, received)
  refresher.start()
  const pass = async (seconds: number): Promise<void> => {
    for (let i = 0; i < seconds; i++) {
      now++
      await vi.advanceTimersByTimeAsync(1000)
    }
  }
  await pass(1200)
  expect(at).toEqual([30, 90, 210, 450, 750, 1050])
  isDown = false
  await pass(400)
  expect(at.slice(6)).toEqual([1350, 1380, 1410, 1440, 1470, 1500, 1530, 1560, 1590])
  expect(received.texts).toEqual(['a', ...Array(8).fill(undefined)])
  refresher.close()
})

test('does not slow down a source without a longest pause', async () => {
  const source = memorySource()
  const refresher = createRefresher(source, reception())
  refresher.start()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(source.reads).toBe(10)
  refresher.close()
})
