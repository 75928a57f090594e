import { expect, onTestFinished, test, vi } from 'vitest'
import { snapshotVersion } from '../../src/data/snapshot.js'
import { Others } from '../../src/share/others.js'
import type { DashboardShare } from '../../src/share/share.js'

/** The data of other processes, with a clock that the test moves. */
function setUp() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const snapshot = { v: snapshotVersion, startsAt: 0, limiters: [], stores: [], rules: [] }
  let reads = 0
  let read = async (): Promise<string> => JSON.stringify({ ...snapshot, at: reads })
  const share: DashboardShare = {
    write: async () => ({ secret: '', cleared: [] }),
    read: async () => {
      reads++
      const snapshots = new Map([['other', { text: await read(), writtenAt: `${reads}` }]])
      return { snapshots, cleared: [] }
    },
    remove: async () => {},
    search: async () => ({ keys: [], cursor: undefined }),
  }
  return {
    others: new Others(share, 'own'),
    reads: () => reads,
    readBy: (next: () => Promise<string>) => void (read = next),
    pass: async (ms: number) => vi.advanceTimersByTimeAsync(ms),
  }
}

test('while a page is open, the data are read once a second, and a request does not wait', async () => {
  const { others, reads, pass } = setUp()
  expect((await others.read()).data).toMatchObject([{ at: 1 }])
  for (let polls = 1; polls <= 5; polls++) {
    await pass(2000)
    expect(reads()).toBe(1 + 2 * polls)
    expect((await others.read()).data).toMatchObject([{ at: reads() }])
  }
  expect(reads()).toBe(11)
  await pass(60_000)
  expect(reads()).toBeLessThanOrEqual(16)
  const before = reads()
  expect((await others.read()).data).toMatchObject([{ at: before + 1 }])
})

test('nothing is read for a dashboard that is closed', async () => {
  const { others, reads, pass } = setUp()
  await others.read()
  others.close()
  await pass(60_000)
  expect(reads()).toBe(1)
})

test.each([
  ['fails', async () => Promise.reject(new Error('READONLY')), 'READONLY'],
  ['takes too long', async () => new Promise<never>(() => {}), 'Redis took too long.'],
] as const)('if the reading in advance %s, a request says so', async (_, read, error) => {
  const { others, readBy, pass } = setUp()
  await others.read()
  readBy(read)
  await pass(1500)
  const asked = others.read()
  await pass(250)
  expect(await asked).toMatchObject({ state: 'failed', error, data: [] })
})
